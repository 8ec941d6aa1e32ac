import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, fixedClock } from '@tallystick/kernel';
import { memoryPersistence, memoryStorage } from '@tallystick/memory';
import type { Persistence } from '@tallystick/mikro-orm';
import { Machine } from './machine.ts';
import { SeededRandom } from './random.ts';
import { StorageFaults, storageOfProcess, type WriteFault } from './storage.ts';
import { SimulatedTime } from './time.ts';

/** Two processes on one storage, of which the first meets a fault with its next write. */
function twoProcesses(fault: Pick<WriteFault, 'at' | 'kind'>) {
  const storage = memoryStorage();
  const time = new SimulatedTime(0, new SeededRandom('1'));
  const faults = new StorageFaults(time, () => {});
  const machines = [new Machine('n1', 0), new Machine('n2', 0)] as const;
  faults.faultOf = (_number, _what, machine) => (machine === machines[0] ? { ...fault, retryable: true } : null);
  const [struck, other] = machines.map((machine) =>
    storageOfProcess(memoryPersistence({ storage, clock: fixedClock(0) }), machine, faults),
  );
  return { storage, machine: machines[0], struck: struck!, other: other! };
}

let companies_made = 0;

function write({ unitOfWork }: Pick<Persistence, 'unitOfWork'>): Promise<unknown> {
  companies_made += 1;
  const company = { name: 'Example', customer_number: String(companies_made), created_at_ms: 0 };
  return unitOfWork.run((tx) => tx.companies.insert(company as never));
}

/** Whether the promise has settled after everything that does not wait. */
async function isSettled(work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const end = (): void => {
    settled = true;
  };
  work.then(end, end);
  await new Promise((resolve) => void setImmediate(resolve));
  return settled;
}

describe('the storage of a simulated process', () => {
  for (const [at, companies] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    it(`rejects a write ${at} its commit`, async () => {
      const { storage, struck } = twoProcesses({ at, kind: 'rejects' });
      await assert.rejects(write(struck), Fault);
      assert.equal(storage.committed.companies.size, companies);
    });

    it(`ends the process ${at} the commit: nothing of it is answered, and others write on`, async () => {
      const { storage, machine, struck, other } = twoProcesses({ at, kind: 'dies' });
      const written = write(struck);
      const behind = write(struck);
      assert.equal(await isSettled(written), false);
      assert.equal(await isSettled(behind), false);
      assert.equal(machine.is_dead, true);
      await write(other);
      assert.equal(storage.committed.companies.size, companies + 1);
    });
  }

  it('leaves no transaction open of a process that dies while it waits to begin', async () => {
    const { machine, struck, other } = twoProcesses({ at: 'after', kind: 'rejects' });
    const begun = await struck.begin();
    const waits = struck.begin();
    machine.die();
    assert.equal(await isSettled(waits), false);
    assert.equal(await isSettled(begun.commit()), false);
    await write(other);
  });

  it('leaves no transaction open whose commit fails', async () => {
    const { struck, other } = twoProcesses({ at: 'before', kind: 'rejects' });
    const begun = await struck.begin();
    await assert.rejects(begun.commit(), Fault);
    await write(other);
  });

  it('rolls back a transaction in whose middle the process dies', async () => {
    const { storage, machine, struck, other } = twoProcesses({ at: 'after', kind: 'rejects' });
    const open = struck.unitOfWork.run(async (tx) => {
      await tx.companies.insert({ name: 'Example', customer_number: '1', created_at_ms: 0 } as never);
      await new Promise(() => {});
    });
    assert.equal(await isSettled(open), false);
    machine.die();
    await write(other);
    assert.equal(storage.committed.companies.size, 1);
  });
});
