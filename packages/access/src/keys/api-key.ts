import type { Sha256 } from '@tallystick/kernel';
import { type Role, roles } from './role.ts';

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
  /** From this instant on, in service time, it is refused like a revoked one; null: never. */
  readonly expires_at_ms: number | null;
  /** Its last accepted request, written within about a minute; null: none. */
  readonly last_used_at_ms: number | null;
}

/** The parts of an API key's text. */
export type ParsedKey =
  | { readonly kind: 'stored'; readonly environment: Environment; readonly id: number; readonly secret: string }
  /** A fixed key of the sandbox. These keys are never stored. */
  | { readonly kind: 'sandbox'; readonly role: Role };

/**
 * 32 bytes as base64url have 43 characters. The last character has four bits, so each secret has
 * one text only.
 */
const stored_form = /^tly_(test|live)_([1-9]\d{0,14})_([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

export const sandbox_keys = Object.fromEntries(roles.map((role) => [role, `tly_test_${role}_sandbox`])) as Readonly<
  Record<Role, string>
>;

/** Reads the text of an API key. Returns null for any other text. */
export function parseKey(text: string): ParsedKey | null {
  const [, environment, id, secret] = stored_form.exec(text) ?? [];
  if (environment !== undefined && id !== undefined && secret !== undefined) {
    return { kind: 'stored', environment: environment as Environment, id: Number(id), secret };
  }
  const role = roles.find((candidate) => sandbox_keys[candidate] === text);
  return role === undefined ? null : { kind: 'sandbox', role };
}

/** Returns the text of a stored key: `tly_<test|live>_<id>_<secret>`. */
export function toKeyText(environment: Environment, id: number, secret: string): string {
  return `tly_${environment}_${id}_${secret}`;
}

/**
 * Returns the stored form of a key's secret: SHA-256 of its base64url text. A secret of 256 random
 * bits needs neither salt nor a slow hash.
 */
export function hashKeySecret(sha256: Sha256, secret: string): Uint8Array {
  return sha256(new TextEncoder().encode(secret));
}
