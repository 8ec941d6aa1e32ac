import { record_bytes_max } from '@tallystick/imports';

/** A generator of random numbers. The same seed makes the same numbers (mulberry32). */
export class FileRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `end`, without `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

/** A sound file, and where its records begin. */
export interface SoundFile {
  readonly bytes: Buffer;
  readonly offsets: readonly number[];
}

type Mutation = (file: SoundFile, random: FileRandom, other: SoundFile) => Buffer;

/** What can happen to a file. */
export const file_mutations: Readonly<Record<string, Mutation>> = {
  flipBits({ bytes }, random) {
    const mutated = Buffer.from(bytes);
    for (let flips = 1 + random.below(4); flips > 0; flips -= 1) {
      const at = random.below(bytes.length);
      mutated[at] = mutated[at]! ^ (1 << random.below(8));
    }
    return mutated;
  },
  replaceBytes({ bytes }, random) {
    const mutated = Buffer.from(bytes);
    for (let left = 1 + random.below(4); left > 0; left -= 1) mutated[random.below(bytes.length)] = random.below(256);
    return mutated;
  },
  changeOneDigit: ({ bytes }, random) => changeDigit(bytes, random, null),
  /** One digit rises and another one falls: totals may agree all the same. */
  exchangeDigits({ bytes }, random) {
    return changeDigit(changeDigit(bytes, random, 1), random, -1);
  },
  truncate: ({ bytes }, random) => bytes.subarray(0, random.below(bytes.length)),
  insert({ bytes }, random) {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(40)), bytes.subarray(at)]);
  },
  remove({ bytes }, random) {
    const [start, end] = range(bytes.length, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  repeat({ bytes }, random) {
    const [start, end] = range(bytes.length, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  removeRecord: (file, random) => joinWithout(recordsOf(file), random.below(file.offsets.length)),
  repeatRecord(file, random) {
    const records = recordsOf(file);
    const at = random.below(records.length);
    return Buffer.concat(records.flatMap((record, place) => (place === at ? [record, record] : [record])));
  },
  swapRecords(file, random) {
    const records = [...recordsOf(file)];
    const [first, second] = [random.below(records.length), random.below(records.length)];
    [records[first], records[second]] = [records[second]!, records[first]!];
    return Buffer.concat(records);
  },
  splice({ bytes }, random, other) {
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length)),
      other.bytes.subarray(random.below(other.bytes.length)),
    ]);
  },
  spliceRecords(file, random, other) {
    const [own, others] = [recordsOf(file), recordsOf(other)];
    return Buffer.concat([...own.slice(0, random.below(own.length)), ...others.slice(random.below(others.length))]);
  },
  encodeOtherwise({ bytes }, random) {
    const text = bytes.toString('latin1');
    return random.pick([
      () => Buffer.from(text, 'utf16le'),
      () => Buffer.from(text, 'utf8'),
      () => Buffer.concat([Buffer.from([0xff, 0xfe]), bytes]),
      () => Buffer.from(bytes.map((byte) => (byte >= 0x30 && byte <= 0x39 ? byte | 0xf0 : byte))),
      () => Buffer.from(bytes.map((byte) => byte ^ 0x80)),
    ])();
  },
  insertLongRecord(file, random) {
    const at = random.pick(file.offsets);
    const length = random.pick([6_001, record_bytes_max + 1]);
    const word = Buffer.alloc(4);
    word.writeUInt32BE(length);
    const filler = Buffer.alloc(length, random.pick(['0', ' ', '\t', ',', '<', '"', '@']));
    return Buffer.concat([file.bytes.subarray(0, at), word, filler, file.bytes.subarray(at)]);
  },
  writeAbsurdLength(file, random) {
    const mutated = Buffer.from(file.bytes);
    const at = random.pick([random.pick(file.offsets), random.below(Math.max(mutated.length - 4, 1))]);
    mutated.writeUInt32BE(random.pick([0, 1, 19, 20, 6_000, 6_001, 0x7fffffff, 0x80000000, 0xffffffff]), at);
    return mutated;
  },
};

function changeDigit(bytes: Buffer, random: FileRandom, step: 1 | -1 | null): Buffer {
  const mutated = Buffer.from(bytes);
  for (let tries = 0; tries < 200; tries += 1) {
    const at = random.below(bytes.length);
    const zone = bytes[at]! & 0xf0;
    const digit = bytes[at]! & 0x0f;
    if ((zone !== 0x30 && zone !== 0xf0) || digit > 9) continue;
    const changed = step === null ? random.below(10) : digit + step;
    if (changed < 0 || changed > 9) continue;
    mutated[at] = zone | changed;
    break;
  }
  return mutated;
}

function range(length: number, random: FileRandom): readonly [start: number, end: number] {
  const start = random.below(length);
  return [start, Math.min(length, start + 1 + random.below(random.pick([4, 100, 3_000])))];
}

function recordsOf({ bytes, offsets }: SoundFile): readonly Buffer[] {
  return offsets.map((offset, at) => bytes.subarray(offset, offsets[at + 1] ?? bytes.length));
}

function joinWithout(records: readonly Buffer[], at: number): Buffer {
  return Buffer.concat(records.filter((_, place) => place !== at));
}
