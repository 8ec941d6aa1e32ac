import type { ClockMove } from '@tallystick/kernel';

/** The result of a move of the sandbox's clock. */
export interface MovedClock {
  /** Service time after the move, ISO 8601. */
  readonly now: string;
  /** Whether the clock is frozen. */
  readonly frozen: boolean;
  /** The due work that is not done yet, and why. Absent when all is done. */
  readonly waiting?: string;
}

/**
 * The parts that a sandbox has and a live installation must not have: a shared company, and a clock
 * that can be moved.
 */
export interface Sandbox {
  /** The company for which the sandbox's fixed keys act. */
  readonly company_id: number;
  /**
   * Moves the clock and does the due work, as far as possible, before it resolves. Refuses like
   * `moveSandboxClock`.
   */
  moveClock(move: ClockMove): Promise<MovedClock>;
  /**
   * Waits until the clock shows every move that another process has answered. Absent where no other
   * process moves it.
   */
  readonly refreshClock?: () => Promise<void>;
}
