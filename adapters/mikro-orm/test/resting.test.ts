import assert from 'node:assert/strict';
import { it, test } from 'node:test';
import { type Ledger, no_changes } from '@tallystick/cards';
import { database_names } from '@tallystick/test-support';
import { makeCompany, onEveryDatabase } from './contract/fixture.ts';
import { authorizationMessage, openLedger, seededDatabase } from './ledger-fixture.ts';

/** How long it takes, milliseconds. */
async function duration(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Fails if the work rests: each of the tries of a machine that is not stalled is shorter than a rest. */
async function goesOnAtOnce(work: () => Promise<void>): Promise<void> {
  const durations: number[] = [];
  do durations.push(await duration(work));
  while (Math.min(...durations) >= rest_ms_max && durations.length < 5);
  assert.ok(Math.min(...durations) < rest_ms_max, `it rested: ${durations} ms`);
}

function passOn(ledger: Ledger, is_of_file: boolean): Promise<unknown> {
  return ledger.pass([], () => ({ changes: no_changes, result: null }), { is_of_file });
}

/** Longer than a test may take: a work that rests for this long fails by its time. */
const never_ms = 1_000_000;
const busy_ms = 40;
/** The longest rest. */
const rest_ms_max = 2_000;

onEveryDatabase('a long work beside decisions', (fixture, name) => {
  it('goes on at once while it is alone', async () => {
    const { persistence } = fixture();
    await persistence.rest(0);
    await passOn(persistence.ledger, true);
    await fixture().run((tx) => makeCompany(tx));
    await goesOnAtOnce(() => persistence.rest(never_ms));
  });

  it('rests as long as it was busy after a decision of its process', async () => {
    const { persistence } = fixture();
    await persistence.rest(0);
    await passOn(persistence.ledger, false);
    assert.ok((await duration(() => persistence.rest(busy_ms))) >= busy_ms);
    await goesOnAtOnce(() => persistence.rest(never_ms));
  });

  it('rests for two seconds at most', async () => {
    const { persistence } = fixture();
    await persistence.rest(0);
    await passOn(persistence.ledger, false);
    assert.ok((await duration(() => persistence.rest(never_ms))) < never_ms / 10);
  });

  if (name === 'sqlite') {
    it('rests after a commit of another process', async () => {
      const { persistence, another } = fixture();
      const other = await another();
      await persistence.rest(0);
      await other.unitOfWork.run((tx) => makeCompany(tx, 'Other'));
      assert.ok((await duration(() => persistence.rest(busy_ms))) >= busy_ms);
    });
  }
});

if (database_names.includes('postgres')) {
  test('a long work rests after a pass whose cards another transaction waited for, on postgres', async (t) => {
    const database = await seededDatabase('postgres', 1);
    const [importer, server] = await Promise.all([
      openLedger(database.database_url),
      openLedger(database.database_url),
    ]);
    const { connection } = importer;
    assert(connection.dialect === 'postgres');
    const { pool } = connection;
    const holder = await pool.connect();
    t.after(async () => {
      holder.release(true);
      await Promise.all([importer.close(), server.close()]);
      await database.dispose();
    });
    const waiters = async () => {
      const waiting = `select pid from pg_locks where not granted and database =
        (select oid from pg_database where datname = current_database()) or not granted and locktype = 'transactionid'
          and pid in (select pid from pg_stat_activity where datname = current_database())`;
      return new Set((await pool.query<{ pid: number }>(waiting)).rows.map(({ pid }) => pid)).size;
    };
    const entry = {
      company_id: 1,
      actor: 'test',
      action: 'x',
      object: 'x',
      request_id: null,
      source_address: null,
      details: {},
      at_ms: 0,
    };
    const changes = { ...no_changes, audit_entries: [entry] };
    await importer.rest(0);
    // The pass of the file locks the card, and then waits for this table.
    await holder.query('begin');
    await holder.query('lock table tallystick_audit_entries in exclusive mode');
    const message = authorizationMessage(1);
    const of_file = importer.ledger.pass([message], () => ({ changes, result: null }), { is_of_file: true });
    while ((await waiters()) < 1);
    const decision = server.ledger.pass([message], () => ({ changes: no_changes, result: null }));
    while ((await waiters()) < 2);
    await holder.query('rollback');
    await Promise.all([of_file, decision]);
    assert.ok((await duration(() => importer.rest(busy_ms))) >= busy_ms);
    await goesOnAtOnce(() => importer.rest(never_ms));
  });
}
