import type { HmacSha1 } from '@tallystick/kernel';

/** Time-based codes of six digits, as apps for them make by default (RFC 6238). */
const step_ms = 30_000;
const digits = 6;

/** A clock of an app may be wrong by one step in either direction. */
const window = 1;

/** As long as the hash, which RFC 4226 recommends. */
export const totp_secret_length = 20;

/** The code of the steps since 1970 (RFC 4226, 5.3). */
export function totpCode(hmacSha1: HmacSha1, secret: Uint8Array, step: number): string {
  const counter = new Uint8Array(8);
  new DataView(counter.buffer).setBigUint64(0, BigInt(step));
  const hash = hmacSha1(secret, counter);
  const offset = hash[hash.length - 1]! & 0x0f;
  const number = new DataView(hash.buffer, hash.byteOffset).getUint32(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export function totpStepAt(machine_ms: number): number {
  return Math.floor(machine_ms / step_ms);
}

/**
 * The step of which this is the code, near the time and after the last step that was used; null:
 * none. Blanks in the code are ignored, because apps show it in two groups.
 */
export function findTotpStep(
  hmacSha1: HmacSha1,
  secret: Uint8Array,
  code: string,
  machine_ms: number,
  last_step: number | null,
): number | null {
  const typed = code.replaceAll(' ', '');
  const now = totpStepAt(machine_ms);
  let found: number | null = null;
  for (let step = now - window; step <= now + window; step += 1) {
    if (totpCode(hmacSha1, secret, step) === typed && step > (last_step ?? -1)) found ??= step;
  }
  return found;
}

/** The address that an app reads, from a picture or as text, to make the codes. */
export function totpUri(handle: string, secret: Uint8Array): string {
  const label = `Tallystick:${handle}`;
  return `otpauth://totp/${encodeURIComponent(label)}?secret=${toBase32(secret)}&issuer=Tallystick`;
}

/** The alphabet of RFC 4648. */
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The secret as a person types it into an app: base32 without padding. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((group) => base32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}
