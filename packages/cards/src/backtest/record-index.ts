interface Identified {
  readonly id: number;
}

/**
 * Records by their ids and by keys. The ids of a key are in rising order, which is the order of
 * arrival, so that the newest are found without reading the others.
 */
export class RecordIndex<Item extends Identified> {
  readonly #keysOf: (item: Item) => readonly string[];
  readonly #items = new Map<number, Item>();
  /** Most keys have one record. */
  readonly #ids = new Map<string, number | number[]>();

  constructor(keysOf: (item: Item) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  get size(): number {
    return this.#items.size;
  }

  get(id: number | null): Item | undefined {
    return id === null ? undefined : this.#items.get(id);
  }

  /** Adds a record, or replaces the one with its id. */
  put(item: Item): void {
    const before = this.#items.get(item.id);
    this.#items.set(item.id, item);
    const keys = this.#keysOf(item);
    const known = before === undefined ? [] : this.#keysOf(before);
    for (const key of known) if (!keys.includes(key)) this.#remove(key, item.id);
    for (const key of keys) if (!known.includes(key)) this.#add(key, item.id);
  }

  /** The records with a key, the newest first. */
  *of(key: string): Generator<Item, void, undefined> {
    const ids = this.#ids.get(key);
    if (ids === undefined) return;
    if (typeof ids === 'number') {
      yield this.#items.get(ids)!;
      return;
    }
    for (let at = ids.length - 1; at >= 0; at -= 1) yield this.#items.get(ids[at]!)!;
  }

  #add(key: string, id: number): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, id);
    else if (typeof ids === 'number') this.#ids.set(key, ids < id ? [ids, id] : [id, ids]);
    else if (ids.at(-1)! < id) ids.push(id);
    else ids.splice(placeOf(ids, id), 0, id);
  }

  #remove(key: string, id: number): void {
    const ids = this.#ids.get(key);
    if (typeof ids === 'object' && ids.length > 1) ids.splice(placeOf(ids, id), 1);
    else this.#ids.delete(key);
  }
}

/** The place of the first id that is not below this one. */
function placeOf(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
