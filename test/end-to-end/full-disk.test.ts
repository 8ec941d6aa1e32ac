/** A server whose database takes no writes, which only reads still find. */
import assert from 'node:assert/strict';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  changeRows,
  database_names,
  migratedDatabase,
  mounts_expected,
  postgres_url,
  scratchFolder,
  send,
  startServer,
  withMounts,
} from '@tallystick/test-support';
import { authorize, issue, purchase } from './purchases.ts';

const ready = (url: string) => send(url, 'GET', '/readyz');

/** Resolves with the answer of `/readyz` that has the status. */
async function readyzIs(url: string, status: number) {
  for (;;) {
    const reply = await ready(url);
    if (reply.status === status) return reply;
    await delay(20);
  }
}

async function decide(url: string, card_number: string): Promise<string> {
  return (await authorize(url, purchase(card_number, 1))).json.data.response_code as string;
}

describe('/readyz and the log say that the disk is full, and recover', { timeout: 120_000 }, () => {
  const big_card = { total_card_amount: 1_000_000, recurring: 'Continuous' };

  it('on SQLite, when its disk is', {
    skip: !mounts_expected && 'a process cannot have file systems of its own here',
  }, async (t) => {
    const folder = scratchFolder('tallystick-full-');
    const server = await startServer({
      database_url: `sqlite:${folder}/tallystick.db`,
      command: withMounts(`mount -t tmpfs -o size=16m none ${folder}`, [
        process.execPath,
        '--conditions=source',
        'apps/server/src/main.ts',
      ]),
    });
    t.after(() => server.kill());
    const { card_number } = await issue(server.url, big_card);
    assert.equal((await ready(server.url)).status, 200);
    const filler = join(`/proc/${server.pid}/root${folder}`, 'filler');
    fill(filler);
    // The log of SQLite has room that it uses first.
    while ((await decide(server.url, card_number)) === '00');
    const { status, json } = await ready(server.url);
    assert.deepEqual([status, json.error], [503, 'the database failed: its disk is full (SQLITE_FULL)']);
    assert.match(server.output(), /its disk is full \(SQLITE_FULL\)/);
    rmSync(filler);
    await readyzIs(server.url, 200);
    assert.equal(await decide(server.url, card_number), '00');
  });

  it('on Postgres, when decisions find no room', { skip: !database_names.includes('postgres') }, async (t) => {
    const database = await migratedDatabase('postgres');
    t.after(() => database.dispose());
    const server = await startServer(database);
    t.after(() => server.kill());
    const { card_number } = await issue(server.url, big_card);
    assert.equal((await ready(server.url)).status, 200);
    await changeRows(
      database,
      `create function no_room() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create trigger no_room before insert on tallystick_authorizations for each row execute function no_room()`,
    );
    assert.equal(await decide(server.url, card_number), '96');
    const { status, json } = await ready(server.url);
    assert.deepEqual([status, json.error], [503, 'the database failed: its disk is full (53100)']);
    assert.match(server.output(), /its disk is full \(53100\)/);
    await changeRows(database, 'drop trigger no_room on tallystick_authorizations');
    await readyzIs(server.url, 200);
    assert.equal(await decide(server.url, card_number), '00');
  });

  it('on Postgres, when nothing was written since it only reads', {
    skip: !database_names.includes('postgres'),
  }, async (t) => {
    const database = await migratedDatabase('postgres');
    t.after(() => database.dispose());
    const server = await startServer(database);
    t.after(() => server.kill());
    const name = new URL(database.database_url).pathname.slice(1);
    const setReadOnly = (how: string) =>
      changeRows(
        { name: 'postgres', database_url: postgres_url },
        `alter database ${name} ${how};
         select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
    await setReadOnly('set default_transaction_read_only = on');
    // A connection that was ended fails first.
    while (!/it only reads/.test(String((await readyzIs(server.url, 503)).json.error)));
    await setReadOnly('reset default_transaction_read_only');
    await readyzIs(server.url, 200);
  });
});

/** Writes the file until no byte more has room. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  for (let bytes = 2 ** 20; bytes >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(bytes, 'x'));
    } catch {
      bytes = Math.floor(bytes / 2);
    }
  }
  // A file that is open keeps its room after it was removed.
  closeSync(file);
}
