import { assert, equalBytes } from '@tallystick/kernel';

/**
 * A map from the blind index of a card number to a value. It compares bytes, because V8 enters each
 * text that is the key of a map in its table of strings.
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
    const bucket = this.#buckets.get(at) ?? [];
    assert(!bucket.some(([known]) => equalBytes(known, index)), 'an index is added once');
    bucket.push([index, value]);
    this.#buckets.set(at, bucket);
  }
}

/** The set of these indexes. An index may occur several times. */
export function toNumberSet(indexes: readonly Uint8Array[]): ByNumberIndex<true> {
  const set = new ByNumberIndex<true>();
  for (const index of indexes) if (set.get(index) === undefined) set.add(index, true);
  return set;
}

/** The first 30 bits, which V8 keeps as a small integer. An index is a hash, so two rarely agree. */
function bucketOf(index: Uint8Array): number {
  return ((index[0] ?? 0) << 22) | ((index[1] ?? 0) << 14) | ((index[2] ?? 0) << 6) | ((index[3] ?? 0) >> 2);
}
