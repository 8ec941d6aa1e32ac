/** The stored record of an idempotency key. */
export interface IdempotencyRecord {
  readonly token: string;
  readonly request_sha256: Uint8Array;
  readonly claimed_at_ms: number;
  readonly lease_until_machine_ms: number;
  /** Null until it is answered. */
  readonly answer_sealed: Uint8Array | null;
}
