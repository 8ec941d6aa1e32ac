import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { fromBetterSqlite3, fromPg } from '../../apps/embedded/src/tx/index.ts';
import { hostWorld } from './host-world.ts';

test('sqlite', async () => {
  const world = await hostWorld('sqlite');
  const db = new Database(world.scratch.database_url.slice(7));
  db.defaultSafeIntegers(true);
  await assert.rejects(world.issue(world.persistence.joining(fromBetterSqlite3(db))), { name: 'UnusableTransaction' });
  db.exec('create table notes (id integer)');
  db.exec('begin immediate; insert into notes values (1)');
  const card = await world.issue(world.persistence.joining(fromBetterSqlite3(db)));
  console.log(card.card.id);
  await assert.rejects(world.issue(world.persistence.joining(fromBetterSqlite3(db)), { total_card_amount: -1 }), {
    name: 'Refusal',
  });
  db.exec('commit');
  console.log(db.prepare('select count(*) from events').all(), db.prepare('select * from event_outbox').all());
  db.close();
  await world.dispose();
});
test('postgres', async () => {
  const world = await hostWorld('postgres');
  const db = new pg.Client(world.scratch.database_url);
  await db.connect();
  await assert.rejects(world.issue(world.persistence.joining(fromPg(db))), { name: 'UnusableTransaction' });
  await db.query('create table notes (id integer)');
  await db.query('begin');
  await db.query('insert into notes values (1)');
  const card = await world.issue(world.persistence.joining(fromPg(db)));
  console.log(card.card.id);
  await assert.rejects(world.issue(world.persistence.joining(fromPg(db)), { total_card_amount: -1 }), {
    name: 'Refusal',
  });
  await db.query('commit');
  console.log(
    (await db.query('select count(*) from events')).rows,
    (await db.query('select * from event_outbox')).rows,
  );
  await db.end();
  await world.dispose();
});
