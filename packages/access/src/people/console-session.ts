/**
 * A visit to the console: of a person who logged in, or by a portal link. Its times are those of
 * the machine, because the clock of a sandbox can be moved.
 */
export interface ConsoleSession {
  readonly id: number;
  /** SHA-256 of the token in the cookie, 32 bytes. */
  readonly token_sha256: Uint8Array;
  /** Null: a visit by a portal link. */
  readonly person_id: number | null;
  /** Null: the visit of a person. */
  readonly portal_link_id: number | null;
  /** The address that began it; null: unknown. */
  readonly source_address: string | null;
  readonly created_machine_ms: number;
  /** The last request, written within a minute. */
  readonly seen_machine_ms: number;
  /** It ends then, however much it is used. */
  readonly ends_machine_ms: number;
}

/** Without a request for so long a session ends. */
export const session_idle_ms = 30 * 60_000;
export const session_absolute_ms = 12 * 3_600_000;

export function isOpen(
  { seen_machine_ms, ends_machine_ms }: Pick<ConsoleSession, 'seen_machine_ms' | 'ends_machine_ms'>,
  machine_ms: number,
): boolean {
  return machine_ms < ends_machine_ms && machine_ms - seen_machine_ms < session_idle_ms;
}
