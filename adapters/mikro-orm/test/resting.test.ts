import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createNetwork, type Ledger, no_changes } from '@tallystick/cards';
import { database_names } from '@tallystick/test-support';
import { makeCompany, onEveryDatabase } from './contract/fixture.ts';
import { authorizationMessage, openLedger, plain_quarantine, seededDatabase } from './ledger-fixture.ts';

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

  it('rests after each of its transactions', async () => {
    const { persistence } = fixture();
    await persistence.rest(0);
    for (const kind of ['run', 'read'] as const) {
      await passOn(persistence.ledger, false);
      const slowly = () => new Promise((resolve) => setTimeout(resolve, busy_ms));
      assert.ok((await duration(() => persistence.long_work[kind](slowly) as Promise<void>)) >= 2 * busy_ms);
    }
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

    it('does not rest for the time in which it waited for the lock of another process', async () => {
      const { persistence, another } = fixture();
      const other = await another();
      await persistence.rest(0);
      /** How much of the time of a transaction that waits for the lock it rests afterwards. */
      const restedShare = async () => {
        const holding = Promise.withResolvers<void>();
        const held = other.unitOfWork.run(async (tx) => {
          await makeCompany(tx, 'Holding');
          holding.resolve();
          await new Promise((resolve) => setTimeout(resolve, 10 * busy_ms));
        });
        await holding.promise;
        const waited_ms = await duration(() =>
          persistence.unitOfWork.run((tx) => makeCompany(tx, 'Waiting')).then(() => {}),
        );
        await held;
        return (await duration(() => persistence.rest(waited_ms))) / waited_ms;
      };
      const shares: number[] = [];
      // A machine that stalls lengthens the transaction, and so the rest.
      do shares.push(await restedShare());
      while (Math.min(...shares) >= 1 / 2 && shares.length < 5);
      assert.ok(Math.min(...shares) < 1 / 2, `it rested for these shares of its time: ${shares}`);
    });
  }
});

for (const name of database_names) {
  it(`a long work rests after a decision of another process, on ${name}`, async (t) => {
    const database = await seededDatabase(name, 1);
    const [long_work, server] = await Promise.all([
      openLedger(database.database_url),
      openLedger(database.database_url),
    ]);
    const random = { below: () => 1, bytes: (count: number) => new Uint8Array(count) };
    const vault = { cvcMatches: () => true };
    const network = createNetwork({ ledger: server.ledger, vault, random, ...plain_quarantine });
    t.after(async () => {
      await network.drain();
      await Promise.all([long_work.close(), server.close()]);
      await database.dispose();
    });
    await long_work.rest(0);
    await network.authorize(authorizationMessage(1));
    assert.ok((await duration(() => long_work.rest(busy_ms))) >= busy_ms);
    await goesOnAtOnce(() => long_work.rest(never_ms));
  });
}
