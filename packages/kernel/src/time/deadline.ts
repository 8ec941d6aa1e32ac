import { Fault } from '../errors/refusal.ts';

/** A point of monotonic time by which work must have ended. */
export interface Deadline {
  /** Milliseconds until then; 0 or less afterwards. */
  leftMs(): number;
}

/** The fault of work that has missed its deadline. The same work may be tried again. */
export function missedDeadline(cause?: unknown): Fault {
  return new Fault('the work has not ended by its deadline', { retryable: true, cause });
}

/** Throws `missedDeadline` when the deadline has passed. */
export function checkDeadline(deadline: Deadline | undefined): void {
  if (deadline !== undefined && deadline.leftMs() <= 0) throw missedDeadline();
}
