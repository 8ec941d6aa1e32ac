const entries_max = 1_000;

/**
 * A function whose results are kept: files repeat few dates, rates and currencies in many records.
 * Bounded, because a file could have a new one in each record.
 */
export class Remembered<Key, Value> {
  readonly #find: (key: Key) => Value;
  readonly #known = new Map<Key, Value>();

  constructor(find: (key: Key) => Value) {
    this.#find = find;
  }

  get(key: Key): Value {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= entries_max) this.#known.clear();
    const found = this.#find(key);
    this.#known.set(key, found);
    return found;
  }
}
