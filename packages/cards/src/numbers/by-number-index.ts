import { equalBytes } from '@tallystick/kernel';

/**
 * A map from the blind index of a card number. It compares bytes: a map from their text would make
 * V8 enter each text in its table of strings, for every message several times.
 */
export class ByNumberIndex<Value> {
  readonly #buckets = new Map<number, (readonly [index: Uint8Array, value: Value])[]>();

  get(index: Uint8Array): Value | undefined {
    const bucket = this.#buckets.get(bucketOf(index));
    if (bucket === undefined) return undefined;
    for (const [known, value] of bucket) if (equalBytes(known, index)) return value;
    return undefined;
  }

  /** Adds an index that is not in the map yet. */
  add(index: Uint8Array, value: Value): void {
    const at = bucketOf(index);
    const bucket = this.#buckets.get(at);
    if (bucket === undefined) this.#buckets.set(at, [[index, value]]);
    else bucket.push([index, value]);
  }
}

/** The first 30 bits, which V8 keeps as a small integer. An index is a hash: they seldom agree. */
function bucketOf(index: Uint8Array): number {
  return ((index[0] ?? 0) << 22) | ((index[1] ?? 0) << 14) | ((index[2] ?? 0) << 6) | ((index[3] ?? 0) >> 2);
}
