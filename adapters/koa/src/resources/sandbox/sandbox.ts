import type { ClockMove } from '@tallystick/kernel';

/** What a move of the sandbox's clock came to. */
export interface MovedClock {
  /** The service's time by now, ISO 8601. */
  readonly now: string;
  /** Whether the clock stands still. */
  readonly frozen: boolean;
  /** What became due and is not done yet, and why; absent when all is done. */
  readonly waiting?: string;
}

/** What a sandbox has and a live installation must not: a company for everyone, and a clock that can be moved. */
export interface Sandbox {
  /** The company that the sandbox's fixed keys act for. */
  readonly company_id: number;
  /** Moves the clock and does what became due, as far as it can, before it resolves. Refuses as `moveSandboxClock` does. */
  moveClock(move: ClockMove): Promise<MovedClock>;
  /** Waits until the clock shows every move that another process has answered. Absent where no other process moves it. */
  readonly refreshClock?: () => Promise<void>;
}
