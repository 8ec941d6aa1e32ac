import { Fault } from '../errors.ts';
import type { Timers } from './timers.ts';

/** A point of monotonic time by which work must have ended. */
export interface Deadline {
  /** Milliseconds until then; 0 or less afterwards. */
  leftMs(): number;
}

/** The fault of work that has missed its deadline. The same work may be tried again. */
export function missedDeadline(cause?: unknown): Fault {
  return new Fault('the work has not ended by its deadline', { retryable: true, cause });
}

export function checkDeadline(deadline: Deadline | undefined): void {
  if (deadline !== undefined && deadline.leftMs() <= 0) throw missedDeadline();
}

/**
 * The outcome of the work, or the fault of a missed deadline if the work is not done by then, after
 * a call of `abandon`. The deadline that the work receives has passed for certain once the caller
 * has this fault.
 */
export type SettleBy = <Result>(
  deadline: Deadline | undefined,
  work: (deadline: Deadline | undefined) => Promise<Result>,
  abandon?: () => void,
) => Promise<Result>;

export function createSettleBy({ after }: Pick<Timers, 'after'>): SettleBy {
  return async (deadline, work, abandon) => {
    if (deadline === undefined) return await work(undefined);
    let is_missed = false;
    const missed = Promise.withResolvers<never>();
    const cancel = after(deadline.leftMs(), () => {
      is_missed = true;
      missed.reject(missedDeadline());
      abandon?.();
    });
    try {
      return await Promise.race([work({ leftMs: () => (is_missed ? 0 : deadline.leftMs()) }), missed.promise]);
    } finally {
      cancel();
    }
  };
}
