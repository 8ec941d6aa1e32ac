import {
  type Clock,
  type ClockMove,
  moveSandboxClock,
  type SandboxClockState,
  type SandboxClockStore,
  sandboxNow,
  type UnitOfWork,
  untouched_clock,
} from '@tallystick/kernel';

/** What the clock was moved to. */
export interface ClockReading {
  readonly now_ms: number;
  readonly frozen: boolean;
}

/** The sandbox's clock in one of the processes that share it. */
export interface SharedClock extends Clock {
  /**
   * Reads what the database says. When it resolves, the clock shows every move that was committed before the call.
   * Calls made together share one read.
   */
  refresh(work: ClockWork): Promise<void>;
  /** Moves the clock of all processes; this one shows it when it resolves. Refuses as `moveSandboxClock` does. */
  move(work: ClockWork, move: ClockMove): Promise<ClockReading>;
}

/** Where the clock is kept. Given with each call: the database itself is opened with this clock. */
export type ClockWork = UnitOfWork<{ readonly sandbox_clock: SandboxClockStore }>;

/** The machine's own clock: what runs outside the sandbox, and what a signature's timestamp is compared with. */
export const machine_clock: Clock = { now: () => Temporal.Now.instant() };

/**
 * The clock that the sandbox's processes share through the database. Each keeps a copy, for `now()` does not wait; a
 * process refreshes it before each request and each job, so that whoever was told of a move finds it wherever they turn
 * next. Until its first refresh it is the machine's.
 */
export function createSharedClock(machine: Clock = machine_clock): SharedClock {
  let state: SandboxClockState = untouched_clock;
  let moves = 0;
  let moving: Promise<unknown> = Promise.resolve();
  let reading: Promise<void> = Promise.resolve();
  let next_reading: Promise<void> | null = null;
  const machineNow = (): number => machine.now().epochMilliseconds;
  const now = (): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(sandboxNow(state, machineNow()));

  const read = async (work: ClockWork): Promise<void> => {
    const moves_before = moves;
    const stored = await work.read((tx) => tx.sandbox_clock.read());
    // A move of this process that came in between knows better than what was read before it.
    if (moves === moves_before) state = stored;
  };

  const moveNow = async (work: ClockWork, move: ClockMove): Promise<ClockReading> => {
    const moved = await work.run(async (tx) => {
      const stored = await tx.sandbox_clock.read({ for_update: true });
      const next = moveSandboxClock(stored, machineNow(), move);
      await tx.sandbox_clock.write(next);
      return next;
    });
    moves += 1;
    state = moved;
    return { now_ms: now().epochMilliseconds, frozen: moved.frozen_at_ms !== null };
  };

  return {
    now,
    refresh(work) {
      // Whoever comes before a read has begun shares it; whoever comes later may know of a move that it does not see. One
      // follows another, so that what is read first cannot be what is kept last.
      next_reading ??= Promise.allSettled([oneTurn(), reading]).then(() => {
        next_reading = null;
        reading = read(work);
        return reading;
      });
      return next_reading;
    },
    move(work, move) {
      const moved = moving.then(() => moveNow(work, move));
      moving = moved.catch(() => undefined);
      return moved;
    },
  };
}

/** One turn of the event loop: requests that arrive together are all read within it. */
async function oneTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
