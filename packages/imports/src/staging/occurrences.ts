/** Words of 32 bits for each slot: two of the hash of its key, and how often it was added. */
const slot_words = 3;

const slots_at_start = 1024;

/** Above this share of used slots the table grows. */
const load_max = 0.85;

/**
 * Counts how often each key occurs, for files of any number of records. It keeps 64 bits of each
 * key and a count, in a table that doubles: 14 to 28 bytes for each distinct key. Two of a million
 * keys have the same 64 bits with a probability of 1 in 30 million.
 */
export class Occurrences {
  #slots = slots_at_start;
  #table = new Uint32Array(slots_at_start * slot_words);
  #used = 0;

  /** How often the key was added, this time included: 1 for the first. */
  count(key: string): number {
    const { high, low } = hash(key);
    const at = this.#find(high, low);
    const table = this.#table;
    table[at] = high;
    table[at + 1] = low;
    table[at + 2]! += 1;
    if (table[at + 2]! > 1) return table[at + 2]!;
    this.#used += 1;
    if (this.#used > this.#slots * load_max) this.#grow();
    return 1;
  }

  /** Where the slot of a hash begins, or the free slot in which it belongs. */
  #find(high: number, low: number): number {
    const table = this.#table;
    for (let slot = low % this.#slots; ; slot = (slot + 1) % this.#slots) {
      const at = slot * slot_words;
      if (table[at + 2] === 0 || (table[at] === high && table[at + 1] === low)) return at;
    }
  }

  #grow(): void {
    const before = this.#table;
    this.#slots *= 2;
    this.#table = new Uint32Array(this.#slots * slot_words);
    for (let from = 0; from < before.length; from += slot_words) {
      const slot = before.subarray(from, from + slot_words);
      if (slot[2] !== 0) this.#table.set(slot, this.#find(slot[0]!, slot[1]!));
    }
  }
}

/** Two hashes of 32 bits, each over the whole key, and each mixed with the other at the end. */
function hash(key: string): { readonly high: number; readonly low: number } {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    high = mix(high ^ unit, 0x85ebca6b);
    low = mix(low ^ unit, 0xc2b2ae35);
  }
  low = mix(low ^ high, 0x27d4eb2f);
  high = mix(high ^ low, 0x165667b1);
  return { high: high >>> 0, low: low >>> 0 };
}

function mix(value: number, factor: number): number {
  const product = Math.imul(value, factor);
  return product ^ (product >>> 15);
}
