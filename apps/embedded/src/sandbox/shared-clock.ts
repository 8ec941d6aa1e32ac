import {
  type Clock,
  type ClockMove,
  machine_timers,
  moveSandboxClock,
  type SandboxClockState,
  type SandboxClockStore,
  sandboxNow,
  type Timers,
  type UnitOfWork,
  untouched_clock,
} from '@tallystick/kernel';

/** The time to which the clock was moved. */
export interface ClockReading {
  readonly now_ms: number;
  readonly frozen: boolean;
}

/** The sandbox's clock in one of the processes that share it. */
export interface SharedClock extends Clock {
  /**
   * Reads the clock from the database. When it resolves, the clock shows every move that was
   * committed before the call. Calls made together share one read.
   */
  refresh(work: ClockWork): Promise<void>;
  /**
   * Moves the clock of all processes. When it resolves, this process shows the new time. Refuses
   * like `moveSandboxClock`.
   */
  move(work: ClockWork, move: ClockMove): Promise<ClockReading>;
}

/**
 * The store of the clock, passed with each call because the database itself is opened with this
 * clock.
 */
export type ClockWork = UnitOfWork<{ readonly sandbox_clock: SandboxClockStore }>;

/**
 * The clock that the sandbox's processes share through the database. Each process keeps a copy,
 * because `nowMs` cannot wait, and refreshes it before each request and each job. So a client that
 * received the answer to a move sees the new time in every process. Before its first refresh it
 * shows machine time.
 */
export function createSharedClock(
  machine: Clock = machine_timers,
  { nextTurn }: Pick<Timers, 'nextTurn'> = machine_timers,
): SharedClock {
  let state: SandboxClockState = untouched_clock;
  let moves = 0;
  let moving: Promise<unknown> = Promise.resolve();
  let reading: Promise<void> = Promise.resolve();
  let next_reading: Promise<void> | null = null;
  const machineNow = (): number => machine.nowMs();
  /** The machine's time at which a move was computed that is not committed yet. */
  let held_at_machine_ms: number | null = null;
  const nowMs = (): number => sandboxNow(state, held_at_machine_ms ?? machineNow());

  const read = async (work: ClockWork): Promise<void> => {
    const moves_before = moves;
    const stored = await work.read((tx) => tx.sandbox_clock.read());
    // A move of this process during the read is newer than the state that was read.
    if (moves === moves_before) state = stored;
  };

  const moveNow = async (work: ClockWork, move: ClockMove): Promise<ClockReading> => {
    try {
      const moved = await work.run(async (tx) => {
        const stored = await tx.sandbox_clock.read({ for_update: true });
        const machine_ms = machineNow();
        // The clock stands until the move is committed. A clock that ran on would show later times than the one that it is
        // moved to, and what is due at such a time would not be due after the move.
        held_at_machine_ms = machine_ms;
        const next = moveSandboxClock(stored, machine_ms, move);
        await tx.sandbox_clock.write(next);
        return next;
      });
      moves += 1;
      state = moved;
    } finally {
      held_at_machine_ms = null;
    }
    return { now_ms: nowMs(), frozen: state.frozen_at_ms !== null };
  };

  return {
    nowMs,
    refresh(work) {
      // In one turn all requests that arrive together are received. Calls before a read has begun
      // share it. Later calls may follow a move that this read does not see, so they wait for the
      // next read. Reads run one after another, so an older state never replaces a newer one.
      next_reading ??= Promise.allSettled([nextTurn(), reading]).then(() => {
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
