import assert from 'node:assert/strict';
import { AsyncResource } from 'node:async_hooks';
import { it, type TestContext } from 'node:test';
import { turn_work_ms_max } from '@tallystick/kernel';
import { migratedDatabase, testAuditMac } from '@tallystick/test-support';
import { mikroOrmPersistence, type Persistence, type Tx } from '../src/index.ts';

const clock = { nowMs: () => 0 };

async function open(t: TestContext, owns_process = true): Promise<Persistence> {
  const database = await migratedDatabase('sqlite');
  t.after(() => database.dispose());
  const { database_url } = database;
  const persistence = await mikroOrmPersistence({ database_url, clock, audit_mac: testAuditMac, owns_process });
  t.after(() => persistence.close());
  return persistence;
}

/** Uses the processor, as the work between two statements does. */
function compute(): void {
  for (const began_ms = performance.now(); performance.now() - began_ms <= turn_work_ms_max; );
}

/** How many turns of the event loop others had during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let is_over = false;
  const count = (): void => {
    turns += 1;
    if (!is_over) setImmediate(count);
  };
  setImmediate(count);
  await work();
  is_over = true;
  return turns;
}

async function fiveSteps({ sandbox_clock }: Tx): Promise<void> {
  for (let step = 0; step < 5; step += 1) {
    compute();
    await sandbox_clock.read();
  }
}

it('a transaction on SQLite gives way between its statements after 5 ms of work', async (t) => {
  const { unitOfWork } = await open(t);
  for (const way of ['run', 'read'] as const) {
    const turns = await turnsDuring(() => unitOfWork[way](fiveSteps));
    assert.ok(turns >= 5, `${way}: ${turns}`);
  }
});

it('a transaction that holds the write lock does not give way in the process of a host', async (t) => {
  const { unitOfWork } = await open(t, false);
  const turns = await turnsDuring(() =>
    unitOfWork.run(async (tx) => assert.equal(await turnsDuring(() => fiveSteps(tx)), 0)),
  );
  assert.ok(turns >= 1, 'before it takes the lock it does');
  assert.ok((await turnsDuring(() => unitOfWork.read(fiveSteps))) >= 5, 'a read takes no lock');
});

it('a transaction on SQLite does not give way while another one waits for it', async (t) => {
  const { unitOfWork } = await open(t);
  // Not a part of the transaction within which it is called.
  const beginAnother = AsyncResource.bind(() => unitOfWork.run(async () => {}));
  let another: Promise<void> | undefined;
  let turns = 0;
  await unitOfWork.run(async (tx) => {
    another = beginAnother();
    await tx.sandbox_clock.read();
    turns = await turnsDuring(() => fiveSteps(tx));
  });
  await another;
  assert.equal(turns, 0);
});

it('reads give way while others wait for their connection, for which no decision waits', async (t) => {
  const { unitOfWork } = await open(t);
  const reads = Array.from({ length: 3 }, () => AsyncResource.bind(() => unitOfWork.read(fiveSteps)));
  assert.ok((await turnsDuring(() => Promise.all(reads.map((read) => read())))) >= 15);
});

it('a statement that was delayed does not run after its transaction', async (t) => {
  const { unitOfWork } = await open(t);
  const late: Promise<unknown>[] = [];
  const failing = unitOfWork.run(async ({ sandbox_clock }) => {
    compute();
    late.push(sandbox_clock.write({ offset_ms: 7, frozen_at_ms: null }));
    throw new RangeError('another statement failed');
  });
  await assert.rejects(failing, RangeError);
  await assert.rejects(Promise.all(late));
  const { offset_ms } = await unitOfWork.read(({ sandbox_clock }) => sandbox_clock.read());
  assert.equal(offset_ms, 0);
});
