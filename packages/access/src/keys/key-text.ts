import type { Sha256 } from '@tallystick/kernel';
import type { Environment } from './api-key.ts';
import { type Role, roles } from './role.ts';

/** What the text of an API key says. */
export type ParsedKey =
  | { readonly kind: 'stored'; readonly environment: Environment; readonly id: number; readonly secret: string }
  /** One of the sandbox's fixed keys, which are never stored. */
  | { readonly kind: 'sandbox'; readonly role: Role };

/** 32 bytes as base64url have 43 characters; the last carries four bits, so that each secret has one text only. */
const stored_form = /^tly_(test|live)_([1-9]\d{0,14})_([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/** The sandbox's fixed keys, by role. */
export const sandbox_keys = Object.fromEntries(roles.map((role) => [role, `tly_test_${role}_sandbox`])) as Readonly<
  Record<Role, string>
>;

/** Reads the text of an API key; null when it is none. */
export function parseKey(text: string): ParsedKey | null {
  const [, environment, id, secret] = stored_form.exec(text) ?? [];
  if (environment !== undefined && id !== undefined && secret !== undefined) {
    return { kind: 'stored', environment: environment as Environment, id: Number(id), secret };
  }
  const role = roles.find((candidate) => sandbox_keys[candidate] === text);
  return role === undefined ? null : { kind: 'sandbox', role };
}

/** The text of a stored key: `tly_<test|live>_<id>_<secret>`. */
export function toKeyText(environment: Environment, id: number, secret: string): string {
  return `tly_${environment}_${id}_${secret}`;
}

/** What is stored of a key's secret: SHA-256 of its base64url text. 256 random bits need neither salt nor a slow hash. */
export function hashKeySecret(sha256: Sha256, secret: string): Uint8Array {
  return sha256(new TextEncoder().encode(secret));
}
