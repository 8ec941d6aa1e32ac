import type { Role } from './role.ts';

/** Whether a key is for a sandbox or for a live installation. */
export const environments = ['test', 'live'] as const;

export type Environment = (typeof environments)[number];

/**
 * An API key as stored. Its text `tly_<environment>_<id>_<secret>` is shown once, when the key is
 * created.
 */
export interface ApiKey {
  readonly id: number;
  /**
   * Null for keys of roles that belong to no company (network, operator). Always set for `client`.
   */
  readonly company_id: number | null;
  readonly role: Role;
  readonly environment: Environment;
  readonly name: string;
  /** SHA-256 of the secret as written in the key's text, 32 bytes. */
  readonly secret_sha256: Uint8Array;
  /** If set, every request must be signed with it. The vault seals it. */
  readonly signing_secret_sealed: Uint8Array | null;
  /** Requests per minute; null: the server's default. */
  readonly rate_limit_per_minute: number | null;
  readonly created_at_ms: number;
  readonly revoked_at_ms: number | null;
}
