import { createHash } from 'node:crypto';
import type { Random } from '@tallystick/kernel';

/**
 * The chance of a run: everything that is drawn follows from the seed. Each part of a run draws from
 * its own branch, so that a part that is switched off changes no draw of another.
 */
export class SeededRandom implements Random {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: string) {
    this.#seed = seed;
    const digest = createHash('sha256').update(seed).digest();
    this.#a = digest.readInt32LE(0);
    this.#b = digest.readInt32LE(4);
    this.#c = digest.readInt32LE(8);
    this.#d = digest.readInt32LE(12);
  }

  /** Another source, which depends on the seed and the name only. */
  branch(name: string): SeededRandom {
    return new SeededRandom(`${this.#seed}/${name}`);
  }

  below(bound: number): number {
    if (bound <= 2 ** 32) return Math.floor((this.#next() / 2 ** 32) * bound);
    return Math.floor(((this.#next() * 2 ** 21 + (this.#next() >>> 11)) / 2 ** 53) * bound);
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next() >>> 24);
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** Whether something of this probability, 0 to 1, happens. */
  happens(probability: number): boolean {
    return this.#next() / 2 ** 32 < probability;
  }

  /** Throws when there is nothing to pick. */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError('there is nothing to pick');
    return items[this.below(items.length)]!;
  }

  /** One of the items, each as often as its weight says. */
  pickWeighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let left = this.below(items.reduce((sum, { weight }) => sum + weight, 0));
    return items.find(({ weight }) => {
      left -= weight;
      return left < 0;
    })!;
  }

  /** A time until something that happens at random with this mean time between, at least 1. */
  wait(mean_ms: number): number {
    return Math.max(1, Math.round(-Math.log(1 - this.#next() / 2 ** 32) * mean_ms));
  }

  /** sfc32: fast, and long enough for a run. */
  #next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}
