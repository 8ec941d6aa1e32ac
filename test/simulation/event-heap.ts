import type { Machine } from './machine.ts';

/** Something that happens later. */
export interface Scheduled {
  at_ms: number;
  /** How long it was to wait, milliseconds. */
  readonly wait_ms: number;
  /** The order of entries of one time: random, and then the order in which they were made. */
  readonly rank: number;
  readonly sequence: number;
  readonly run: () => void;
  /** The machine whose process waits; null: the world outside. */
  readonly machine: Machine | null;
  is_cancelled: boolean;
}

/** Entries by time, the first one first: a binary heap. Cancelled entries leave it when they come first. */
export class EventHeap {
  #entries: Scheduled[] = [];

  /** The time of the first entry; infinity when there is none. */
  firstMs(): number {
    this.#dropCancelled();
    return this.#entries[0]?.at_ms ?? Number.POSITIVE_INFINITY;
  }

  push(entry: Scheduled): void {
    const entries = this.#entries;
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, entries[parent]!)) break;
      entries[at] = entries[parent]!;
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): Scheduled | null {
    this.#dropCancelled();
    return this.#popFirst();
  }

  /** Moves every entry before this time to another time. */
  delay(before_ms: number, toMs: (entry: Scheduled) => number): void {
    const entries = this.#entries.filter(({ is_cancelled }) => !is_cancelled);
    this.#entries = [];
    for (const entry of entries) {
      if (entry.at_ms < before_ms) entry.at_ms = toMs(entry);
      this.push(entry);
    }
  }

  #dropCancelled(): void {
    while (this.#entries[0]?.is_cancelled) this.#popFirst();
  }

  #popFirst(): Scheduled | null {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined) return null;
    if (entries.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= entries.length) break;
      const right = left + 1;
      const child = right < entries.length && isBefore(entries[right]!, entries[left]!) ? right : left;
      if (!isBefore(entries[child]!, last)) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = last;
    return first;
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  if (a.at_ms !== b.at_ms) return a.at_ms < b.at_ms;
  return a.rank === b.rank ? a.sequence < b.sequence : a.rank < b.rank;
}
