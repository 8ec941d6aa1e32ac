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
