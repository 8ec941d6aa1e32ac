/** SHA-256 of the bytes: 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** SHA-256 of bytes that come in pieces. */
export interface Sha256Stream {
  update(bytes: Uint8Array): void;
  /** In hexadecimal. Called once, after all the bytes. */
  digest(): string;
}

/** HMAC-SHA-256 of the message: 32 bytes. */
export type HmacSha256 = (secret: Uint8Array, message: Uint8Array) => Uint8Array;

/** HMAC-SHA-1 of the message: 20 bytes. Only for time-based codes, which apps make with it. */
export type HmacSha1 = (secret: Uint8Array, message: Uint8Array) => Uint8Array;

/** Hashes passwords so that it takes time and memory. Its text has the parameters with the hash. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /**
   * Whether the hash is of this password. For null it takes the same time and the answer is false,
   * so that an unknown person cannot be told from a wrong password. Throws a `Fault` for a text that
   * is no such hash.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** Encrypts small secrets for storage. `purpose` binds a sealed value to its use. */
export interface Sealer {
  seal(purpose: string, clear: Uint8Array): Uint8Array;
  /**
   * Throws a `Fault` if the value was not sealed for this purpose or its key is not in the ring.
   */
  open(purpose: string, sealed: Uint8Array): Uint8Array;
  /** Whether the newest key of the ring sealed it. If not, a rotation seals it again. */
  isCurrent(sealed: Uint8Array): boolean;
}

/**
 * Whether two byte strings are equal. The time depends only on their lengths, which are not secret.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a[at]! ^ b[at]!;
  return difference === 0;
}

/** A cryptographically strong source of randomness. */
export interface Random {
  /** An integer, uniform in [0, bound). `bound` is 1..2^47. */
  below(bound: number): number;
  /** `count` uniform bytes. */
  bytes(count: number): Uint8Array;
}
