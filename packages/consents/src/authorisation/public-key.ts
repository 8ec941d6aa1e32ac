/** The most keys of a third party. */
export const keys_max = 32;

/** The members of a public key that are kept (RFC 7517, RFC 7518). Others mean nothing to us. */
const kept_members = ['kty', 'kid', 'use', 'alg', 'key_ops', 'n', 'e', 'crv', 'x', 'y', 'x5c', 'x5t', 'x5t#S256'];

const private_members = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** The longest text of a kept member, and the most items of a list. A key of 8192 bits has 1,366. */
const member_length_max = 8_192;
const list_items_max = 8;

/** Bounds of an RSA modulus, in bits. The upper one bounds the time of a verification. */
const rsa_bits_min = 2_048;
const rsa_bits_max = 8_192;

export type PublicKey = Readonly<Record<string, unknown>>;

/** Why a key is refused. A message does not repeat the key: it may be a private one. */
export type KeyProblem = string;

/** The public key in a JWK, with the members that are kept; or why it is refused. */
export function readPublicKey(jwk: unknown): PublicKey | KeyProblem {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return 'must be an object';
  const members = jwk as PublicKey;
  const secret = private_members.find((name) => Object.hasOwn(members, name));
  if (secret !== undefined) return `must be a public key, and it has the private member ${secret}`;
  const kept = Object.entries(members).filter(([name]) => kept_members.includes(name));
  if (!kept.every(([, value]) => isBounded(value))) return 'has a member that is neither text nor a short list of text';
  if (members.use === 'sig' && members.alg !== undefined && members.alg !== 'PS256' && members.alg !== 'ES256') {
    return 'must have the alg PS256 or ES256, or none';
  }
  const problem = problemOfType(members);
  return problem === null ? Object.fromEntries(kept) : problem;
}

function problemOfType(jwk: PublicKey): KeyProblem | null {
  if (jwk.kty === 'RSA') {
    const bits = bitsOf(toBytes(jwk.n));
    if (bits < rsa_bits_min || bits > rsa_bits_max)
      return `must have an RSA modulus of ${rsa_bits_min} to ${rsa_bits_max} bits`;
    const exponent = toBytes(jwk.e);
    const is_odd = exponent !== null && (exponent.at(-1)! & 1) === 1;
    return is_odd && bitsOf(exponent) > 1 ? null : 'must have an odd RSA exponent above 1';
  }
  if (jwk.kty === 'EC') {
    if (jwk.crv !== 'P-256') return 'must have the curve P-256';
    const is_point = [jwk.x, jwk.y].every((coordinate) => toBytes(coordinate)?.length === 32);
    return is_point ? null : 'must have the coordinates x and y, each of 32 bytes';
  }
  return 'must have the kty RSA or EC';
}

function isBounded(value: unknown): boolean {
  const isText = (text: unknown) => typeof text === 'string' && text.length <= member_length_max && text.isWellFormed();
  return isText(value) || (Array.isArray(value) && value.length <= list_items_max && value.every(isText));
}

/** The bytes of base64url text; null for other values. */
function toBytes(value: unknown): Uint8Array | null {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]+$/.test(value)) return null;
  try {
    return Uint8Array.fromBase64(value, { alphabet: 'base64url' });
  } catch {
    return null;
  }
}

/** The length of the number in these bytes. */
function bitsOf(bytes: Uint8Array | null): number {
  const first = bytes?.findIndex((byte) => byte !== 0) ?? -1;
  if (bytes === null || first === -1) return 0;
  return (bytes.length - first) * 8 - Math.clz32(bytes[first]!) + 24;
}
