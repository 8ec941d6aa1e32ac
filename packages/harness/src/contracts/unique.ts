let drawn = 0;

/** A number that no other call in this process returns, from 1. */
export function uniqueNumber(): number {
  drawn += 1;
  return drawn;
}

/** A hash that no other call in this process returns. */
export function uniqueHash(): Uint8Array<ArrayBuffer> {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, uniqueNumber());
  return hash;
}
