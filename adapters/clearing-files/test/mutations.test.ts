import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FileRandom, file_mutations, type SoundFile } from '@tallystick/harness';
import { type FileItem, FileProblem, record_bytes_max } from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import { test_seed, testRuns } from '@tallystick/test-support';
import { clearing_formats } from '../src/index.ts';
import { joined, readItems } from './reading.ts';
import { sampleContent, type Writing, writings } from './sample-content.ts';
import { assertStatedAmounts } from './stated-amounts.ts';

const files = testRuns({ short: 500, full: 1_500 });
const kinds = Object.keys(file_mutations);
const crashers = join(import.meta.dirname, 'crashers');

/** A reader that needs longer for a file of this size has an endless loop. */
const reading_ms_max = 60_000;

describe('a mutated file never crashes a reader, and never states an amount that its bytes do not', () => {
  for (const [place, writing] of writings.entries()) {
    const share = Math.ceil(files / writings.length);
    test(`${writing.name}, ${share} files`, async () => {
      const sound = [await soundFile(writing, 1), await soundFile(writing, 2)] as const;
      let accepted = 0;
      for (let made = 0; made < share; made += 1) {
        const seed = (test_seed + place * 1_000_003 + made * 7_919) >>> 0;
        const random = new FileRandom(seed);
        const kind = random.pick(kinds);
        const bytes = file_mutations[kind]!(sound[0], random, sound[1]);
        const lengths = random.pick([[1_000_000], [1_014], [1 + random.below(50)]]);
        try {
          if (await isAccepted(writing, bytes, lengths)) accepted += 1;
        } catch (error) {
          const path = join(mkdtempSync(join(tmpdir(), 'tallystick-crasher-')), `${writing.format.name}--${kind}.bin`);
          writeFileSync(path, bytes);
          throw new Error(`${kind}, file ${made}, seed ${test_seed}: ${path}`, { cause: error });
        }
      }
      assert.ok(accepted < share, 'some are not accepted');
    });
  }
});

test('a number after a no-break space states the same amount', async () => {
  for (const writing of writings) {
    const { bytes } = await soundFile(writing, 1);
    for (const { index } of bytes.toString('latin1').matchAll(/(?<!\d)\d/g)) {
      const spaced = Buffer.concat([bytes.subarray(0, index), Buffer.from('\u00a0'), bytes.subarray(index)]);
      await isAccepted(writing, spaced, [1_000_000]);
    }
  }
});

test('files that crashed a reader once do not crash any', async () => {
  for (const name of readdirSync(crashers).filter((file) => file.endsWith('.bin'))) {
    const bytes = readFileSync(join(crashers, name));
    for (const format of clearing_formats) {
      for (const lengths of [[3], [1_000]]) await isAccepted({ format, name, variant: undefined }, bytes, lengths);
    }
  }
});

async function soundFile({ format, variant }: Writing, sequence: number): Promise<SoundFile> {
  const bytes = joined(format.write!(sampleContent(12, sequence), variant));
  const items = await readItems(format, bytes);
  const offsets = items.flatMap((item) => ('offset' in item ? [item.offset] : []));
  return { bytes, offsets: [...new Set([0, ...offsets])].toSorted((a, b) => a - b) };
}

/**
 * Whether the file is accepted. Throws when it is accepted wrongly, or has another error than a
 * problem.
 */
async function isAccepted({ format }: Writing, bytes: Buffer, lengths: readonly number[]): Promise<boolean> {
  const began = performance.now();
  let items: readonly FileItem[] = [];
  try {
    items = await readItems(format, bytes, lengths);
  } catch (problem) {
    if (!(problem instanceof FileProblem)) throw problem;
    assertRepeatsNoNumber(problem.message);
    assert.ok(problem.offset === null || (problem.offset >= 0 && problem.offset <= bytes.length));
    return false;
  } finally {
    assert.ok(performance.now() - began < reading_ms_max, 'the reader ends');
  }
  assertSound(items, bytes);
  assertStatedAmounts[format.name]?.(bytes, items);
  return true;
}

function assertSound(items: readonly FileItem[], bytes: Buffer): void {
  assert.equal(items[0]?.kind, 'header');
  assert.equal(items.at(-1)?.kind, 'end');
  let ordinal = 0;
  for (const item of items.slice(0, -1)) {
    assert.ok('ordinal' in item && item.ordinal > ordinal && item.offset <= bytes.length);
    ordinal = item.ordinal;
    if (item.kind !== 'bad') continue;
    assert.ok(item.raw.length <= record_bytes_max);
    assert.match(item.code, /^[a-z_]+$/);
    assertRepeatsNoNumber(item.reason);
  }
}

function assertRepeatsNoNumber(message: string): void {
  assert.equal(maskCardNumbers(message), message);
}

/** A CSV file without totals may end after any row. */
const without_totals = ['csv default', 'csv excel'];

describe('a file that ends early is not accepted', () => {
  for (const { format, variant, name } of writings.filter((one) => !without_totals.includes(one.name))) {
    test(`${name}, after any byte`, async () => {
      const whole = joined(format.write!(sampleContent(5, 1), variant));
      // After the last record come a length 0 and padding.
      const content_end = whole.toString('latin1').replace(format.name === 'ipm' ? /[\0@]*$/ : /\s*$/, '').length;
      for (let end = 0; end < whole.length; end += 1) {
        try {
          await readItems(format, whole.subarray(0, end), [100_000]);
        } catch (problem) {
          if (!(problem instanceof FileProblem)) throw problem;
          continue;
        }
        assert.ok(end >= content_end, `accepted without its last ${whole.length - end} bytes`);
      }
      assert.equal((await readItems(format, whole)).at(-1)?.kind, 'end');
    });
  }
});
