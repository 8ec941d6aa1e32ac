import type { Fold } from '@tallystick/cards';
import { Fault } from '@tallystick/kernel';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Machine } from './machine.ts';
import type { SeededRandom } from './random.ts';
import type { SimulatedTime } from './time.ts';

/** What happens to one write of a process. */
export interface WriteFault {
  /** Before the commit, which then rolls back; or after it. */
  readonly at: 'before' | 'after';
  /** `dies`: the process; `rejects`: the write, with a fault of the storage. */
  readonly kind: 'dies' | 'rejects';
  readonly retryable: boolean;
}

/** Decides about each write of the run, by its number and by what writes. */
export type WriteFaults = (number: number, what: string, machine: Machine) => WriteFault | null;

/** How long a statement takes, milliseconds; 0: it ends in the same step. */
export type Latency = () => number;

/** What the processes of a run do to their storage. */
export class StorageFaults {
  /** The number of writes so far, committed or not. */
  writes = 0;
  readonly time: SimulatedTime;
  faultOf: WriteFaults = () => null;
  latency: Latency = () => 0;
  /** Called for each fault. */
  readonly happened: (what: string) => void;

  constructor(time: SimulatedTime, happened: (what: string) => void) {
    this.time = time;
    this.happened = happened;
  }
}

/** The rate and the kinds of faults, as a seed draws them. */
export function randomFaults(
  random: SeededRandom,
  { rate, kinds }: { readonly rate: number; readonly kinds: readonly Pick<WriteFault, 'at' | 'kind'>[] },
): WriteFaults {
  if (kinds.length === 0) return () => null;
  return () => (random.happens(rate) ? { ...random.pick(kinds), retryable: random.happens(0.7) } : null);
}

const never = (): Promise<never> => new Promise(() => {});

/** A process died in the middle of a transaction, which rolls back. */
class Died extends Error {}

/**
 * The storage of one process. It numbers the writes of the run, and lets a write fail or the process
 * die before and after its commit. A process that died gets no answer, and what it had not committed
 * is rolled back.
 */
export function storageOfProcess(persistence: Persistence, machine: Machine, faults: StorageFaults): Persistence {
  const { time } = faults;

  async function wait(): Promise<void> {
    const ms = faults.latency();
    if (ms > 0) await new Promise<void>((resolve) => void time.after(ms, resolve, machine));
  }

  /** The work of a transaction; rejects as soon as the process dies, so that others get its locks. */
  function untilDeath<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (machine.is_dead) throw new Died();
      const forget = machine.onDeath(() => reject(new Died()));
      work().then(resolve, reject).finally(forget);
    });
  }

  function apply({ at, kind, retryable }: WriteFault, what: string, number: number): never {
    faults.happened(`${kind} ${at} ${what} ${number}`);
    // The rows do not show that a result waits in a process to be recorded again.
    if (what === 'claim' || what === 'record') time.stayFor(5_000);
    if (kind === 'dies') {
      machine.die();
      throw new Died();
    }
    throw new Fault('the storage did not answer', { retryable });
  }

  /** `commit` calls its argument when everything is written and nothing is committed. */
  async function write<Result>(what: string, commit: (check: () => void) => Promise<Result>): Promise<Result> {
    if (machine.is_dead) return await never();
    faults.writes += 1;
    const number = faults.writes;
    const fault = faults.faultOf(number, what, machine);
    try {
      await wait();
      const result = await commit(() => {
        if (machine.is_dead) throw new Died();
        if (fault?.at === 'before') apply(fault, what, number);
      });
      if (machine.is_dead) throw new Died();
      if (fault?.at === 'after') apply(fault, what, number);
      return result;
    } catch (error) {
      if (machine.is_dead) return await never();
      throw error;
    }
  }

  async function read<Result>(work: () => Promise<Result>): Promise<Result> {
    if (machine.is_dead) return await never();
    await wait();
    const result = await work();
    return machine.is_dead ? await never() : result;
  }

  const { unitOfWork, ledger, delivery_desk: desk, event_horizon } = persistence;
  const numbered: Persistence['unitOfWork'] = {
    run: (work) =>
      write('transaction', (check) =>
        unitOfWork.run((tx) =>
          untilDeath(async () => {
            const result = await work(tx);
            await wait();
            check();
            return result;
          }),
        ),
      ),
    read: (work) => read(() => unitOfWork.read(work)),
  };
  return {
    ...persistence,
    unitOfWork: numbered,
    long_work: numbered,
    look_ups: numbered,
    ledger: {
      ...ledger,
      pass: (messages, fold, bounds) => write('pass', (check) => ledger.pass(messages, checking(fold, check), bounds)),
      passDue: (limit, fold) => write('pass of due holds', (check) => ledger.passDue(limit, checking(fold, check))),
    },
    delivery_desk: {
      ...desk,
      claim: (...given) => write('claim', () => desk.claim(...given)),
      record: (...given) => write('record', () => desk.record(...given)),
      due: (...given) => read(() => desk.due(...given)),
      backlog: () => read(() => desk.backlog()),
      workload: (...given) => read(() => desk.workload(...given)),
    },
    event_horizon: {
      read: (...given) => read(() => event_horizon.read(...given)),
      now: (...given) => read(() => event_horizon.now(...given)),
    },
    async begin() {
      if (machine.is_dead) return await never();
      const begun = await persistence.begin();
      if (machine.is_dead) {
        await begun.rollback();
        return await never();
      }
      const forget = machine.onDeath(() => void begun.rollback());
      return {
        ...begun,
        commit: () =>
          write('commit', async (check) => {
            forget();
            try {
              check();
            } catch (error) {
              // A commit that fails ends the transaction.
              await begun.rollback();
              throw error;
            }
            await begun.commit();
          }),
        rollback() {
          forget();
          return begun.rollback();
        },
      };
    },
    ping: () => read(() => persistence.ping()),
  };
}

/** The fold, which also fails as its pass fails: a pass is one synchronous piece of work. */
function checking<Result>(fold: Fold<Result>, check: () => void): Fold<Result> {
  return (state) => {
    const folded = fold(state);
    check();
    return folded;
  };
}
