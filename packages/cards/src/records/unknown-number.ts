import { daysBefore } from '@tallystick/kernel';

/** A message for a number that no card has, stored without the number. */
export interface UnknownNumberMessage {
  readonly number_index: Uint8Array;
  readonly last4: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly recorded_at_ms: number;
  readonly request_id: string | null;
}

/** Messages for numbers that no card has, within a transaction. Only passes record them. */
export interface UnknownNumberStore {
  /**
   * Deletes messages recorded before the instant, the oldest first, at most `limit`; returns how
   * many.
   */
  purge(before_ms: number, limit: number): Promise<number>;
}

/**
 * How long a message for an unknown number is kept unless the operator chooses otherwise, in days
 * of the service's clock: a year, and the time to ask about it.
 */
export const unknown_numbers_kept_days_default = 400;

/**
 * Drops messages that were kept for `kept_days`, at most `limit`. Returns how many: fewer than
 * `limit` when none is left.
 */
export function purgeUnknownNumbers(
  tx: { readonly unknown_numbers: UnknownNumberStore },
  kept_days: number,
  now_ms: number,
  limit: number,
): Promise<number> {
  return tx.unknown_numbers.purge(daysBefore(now_ms, kept_days), limit);
}
