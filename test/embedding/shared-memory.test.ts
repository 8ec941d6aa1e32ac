/** A database in memory that a host and an instance share by one handle. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { createTallystick } from 'tallystick';
import { fromBetterSqlite3, UnusableTransaction } from 'tallystick/tx';

describe('a handle in memory', { timeout: 120_000 }, () => {
  test('of another database is refused as a transaction, also when it has no tables', async () => {
    const shared = new Database(':memory:');
    const other = new Database(':memory:');
    await using tally = await createTallystick({ database: shared, sandbox: true });
    await tally.migrate();
    const { cards } = tally.company(1);
    other.exec('begin immediate');
    await assert.rejects(
      cards.issue({ total_card_amount: 1_000 }, { tx: fromBetterSqlite3(other) }),
      (error) => error instanceof UnusableTransaction && /another database/.test(error.message),
    );
    other.exec('create table of_host (id integer); commit');
    assert.equal(other.prepare('select count(*) from of_host').pluck().get(), 0);
  });

  test('with an open transaction makes a call without { tx } wait, for five seconds at most', async () => {
    const shared = new Database(':memory:');
    await using tally = await createTallystick({ database: shared, sandbox: true });
    await tally.migrate();
    const { cards } = tally.company(1);
    shared.exec('begin immediate');
    const start_ms = performance.now();
    const ended = { name: 'Fault', message: /a transaction of the host is open/ };
    await Promise.all([
      assert.rejects(cards.issue({ total_card_amount: 1_000 }), ended),
      assert.rejects(async () => await cards.list(), ended),
      assert.rejects(cards.read(1), ended),
    ]);
    // One after the other, they would wait for 15 seconds.
    assert.ok(performance.now() - start_ms < 14_000);
    shared.exec('commit');
    assert.equal((await cards.list()).items.length, 0);
  });
});
