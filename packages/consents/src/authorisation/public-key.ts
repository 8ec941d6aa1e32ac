import { fromBase64Url, toHex } from '@tallystick/kernel';

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

/** The most bits of an RSA exponent that OpenSSL verifies with. */
const exponent_bits_max = 64;

/** The key type of each algorithm that third parties sign with. */
const key_types = new Map<unknown, string>([
  ['PS256', 'RSA'],
  ['ES256', 'EC'],
]);

/** P-256: y^2 = x^3 - 3x + b modulo p (FIPS 186-4, D.1.2.3). */
const p256 = {
  p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
};

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
  const type_of_alg = key_types.get(members.alg);
  if (members.use === 'sig' && members.alg !== undefined && type_of_alg === undefined) {
    return 'must have the alg PS256 or ES256, or none';
  }
  if (type_of_alg !== undefined && members.kty !== type_of_alg) {
    return `must have the kty ${type_of_alg}, which its alg needs`;
  }
  const problem = problemOfType(members);
  return problem === null ? Object.fromEntries(kept) : problem;
}

/** Whether what the key says of its use allows the signatures of a third party. */
export function verifiesSignatures({ kty, use = 'sig', alg, key_ops = ['verify'] }: PublicKey): boolean {
  const is_of_alg = alg === undefined || key_types.get(alg) === kty;
  return use === 'sig' && is_of_alg && Array.isArray(key_ops) && key_ops.includes('verify');
}

function problemOfType(jwk: PublicKey): KeyProblem | null {
  if (jwk.kty === 'RSA') {
    const modulus = toBytes(jwk.n);
    const bits = bitsOf(modulus);
    if (bits < rsa_bits_min || bits > rsa_bits_max)
      return `must have an RSA modulus of ${rsa_bits_min} to ${rsa_bits_max} bits`;
    if (!isOdd(modulus)) return 'must have an odd RSA modulus: the product of two primes';
    const exponent = toBytes(jwk.e);
    const is_exponent = isOdd(exponent) && bitsOf(exponent) > 1 && bitsOf(exponent) <= exponent_bits_max;
    return is_exponent ? null : `must have an odd RSA exponent above 1, of at most ${exponent_bits_max} bits`;
  }
  if (jwk.kty === 'EC') {
    if (jwk.crv !== 'P-256') return 'must have the curve P-256';
    const x = toBytes(jwk.x);
    const y = toBytes(jwk.y);
    if (x?.length !== 32 || y?.length !== 32) return 'must have the coordinates x and y, each of 32 bytes';
    return isOnCurve(x, y) ? null : 'must have the coordinates x and y of a point on the curve P-256';
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
    return fromBase64Url(value);
  } catch {
    return null;
  }
}

/** Whether the point is on P-256. Other points are no keys, and no signature verifies with them. */
function isOnCurve(x_bytes: Uint8Array, y_bytes: Uint8Array): boolean {
  const [x, y] = [toInteger(x_bytes), toInteger(y_bytes)];
  const { p, b } = p256;
  return x < p && y < p && (y * y - (x * x * x - 3n * x + b)) % p === 0n;
}

function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes)}`);
}

function isOdd(bytes: Uint8Array | null): boolean {
  return bytes !== null && (bytes.at(-1)! & 1) === 1;
}

function bitsOf(bytes: Uint8Array | null): number {
  const first = bytes?.findIndex((byte) => byte !== 0) ?? -1;
  if (bytes === null || first === -1) return 0;
  return (bytes.length - first) * 8 - Math.clz32(bytes[first]!) + 24;
}
