import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FileRandom, file_mutations, joined, readItems, readProblem, type SoundFile } from '@tallystick/harness';
import { type ClearingFormat, type FileItem, FileProblem } from '@tallystick/imports';
import { isDay } from '@tallystick/kernel';
import { test_seed, testRuns } from '@tallystick/test-support';
import { mt940, statement_formats } from '../src/index.ts';
import { sampleStatements } from './arbitrary-statements.ts';
import { linesIn, statementsIn } from './reading.ts';

const files = testRuns({ short: 600, full: 1_800 });
const kinds = Object.keys(file_mutations);
const crashers = join(import.meta.dirname, 'crashers');

/** A reader that needs longer for a file of this size has an endless loop. */
const reading_ms_max = 60_000;

describe('a mutated file never crashes a reader', () => {
  for (const [place, format] of statement_formats.entries()) {
    const share = Math.ceil(files / statement_formats.length);
    test(`${format.name}, ${share} files`, async () => {
      const sound = [await soundFile(format, 1), await soundFile(format, 2)] as const;
      let accepted = 0;
      for (let made = 0; made < share; made += 1) {
        const random = new FileRandom((test_seed + place * 1_000_003 + made * 7_919) >>> 0);
        const kind = random.pick(kinds);
        const bytes = file_mutations[kind]!(sound[0], random, sound[1]);
        const lengths = random.pick([[1_000_000], [1_014], [1 + random.below(50)]]);
        try {
          const outcome = await outcomeOf(format, bytes, lengths);
          assert.deepEqual(outcome, await outcomeOf(format, bytes, [1_000_000]), 'chunks change nothing');
          if (outcome.status === 'accepted') accepted += 1;
        } catch (error) {
          const path = join(mkdtempSync(join(tmpdir(), 'tallystick-crasher-')), `${format.name}--${kind}.bin`);
          writeFileSync(path, bytes);
          throw new Error(`${kind}, file ${made}, seed ${test_seed}: ${path}`, { cause: error });
        }
      }
      assert.ok(accepted < share, 'some are not accepted');
    });
  }
});

test('files that crashed a reader once do not crash any', async () => {
  for (const name of readdirSync(crashers).filter((file) => file.endsWith('.bin'))) {
    const bytes = readFileSync(join(crashers, name));
    for (const format of statement_formats) {
      for (const lengths of [[3], [1_000]]) await outcomeOf(format, bytes, lengths);
    }
  }
});

test('a file of one format is refused by the other', async () => {
  for (const format of statement_formats) {
    const { bytes } = await soundFile(format, 1);
    for (const other of statement_formats.filter((one) => one !== format)) {
      assert.equal((await outcomeOf(other, bytes, [1_500])).status, 'refused');
      assert.equal(other.detect(bytes.subarray(0, 4_096), null), false);
    }
  }
});

async function soundFile(format: ClearingFormat, sequence: number): Promise<SoundFile> {
  const bytes = joined(format.writeStatements!(sampleStatements(8, sequence)));
  const items: readonly FileItem[] = await readItems(format, bytes);
  const offsets = items.flatMap((item) => ('offset' in item ? [item.offset] : []));
  return { bytes, offsets: [...new Set([0, ...offsets])].toSorted((a, b) => a - b) };
}

/** Reads the file. Throws if the error is not a `FileProblem`, or if an item is not valid. */
async function outcomeOf(format: ClearingFormat, bytes: Buffer, lengths: readonly number[]) {
  const began = performance.now();
  try {
    const items: readonly FileItem[] = await readItems(format, bytes, lengths);
    assertSound(items);
    return { items, status: 'accepted' };
  } catch (problem) {
    if (!(problem instanceof FileProblem)) throw problem;
    const { status, message, offset } = problem;
    assert.doesNotMatch(message, /(?<!\d)4111111111111111(?!\d)/);
    assert.ok(offset === null || (offset >= 0 && offset <= bytes.length));
    // Which problem is found first may depend on the sizes of the chunks.
    return { items: [], status };
  } finally {
    assert.ok(performance.now() - began < reading_ms_max, 'the reader ends');
  }
}

function assertSound(items: readonly FileItem[]): void {
  assert.equal(items[0]?.kind, 'header');
  assert.equal(items.at(-1)?.kind, 'end');
  let ordinal = 0;
  for (const item of items.slice(0, -1)) {
    assert.ok('ordinal' in item && item.ordinal > ordinal);
    ordinal = item.ordinal;
  }
  for (const { as_of, account_number, currency, problem } of statementsIn(items)) {
    assert.ok(isDay(as_of));
    if (problem === undefined) assert.match(account_number, /^[A-Za-z0-9]{1,34}$/);
    assert.match(currency ?? 'USD', /^[A-Z]{3}$/);
  }
  const statements = statementsIn(items).length;
  for (const { statement_number, line } of linesIn(items)) {
    assert.ok(statement_number >= 1 && statement_number <= statements);
    assert.ok(isDay(line.booking_date) && isDay(line.value_date));
    assert.ok(Number.isSafeInteger(line.amount));
    assert.match(line.bai_code, /^\d{3}$/);
    assert.match(line.acquirer_reference ?? '0'.repeat(17), /^(?:\d{17}|\d{23})$/);
    assert.ok(line.text.isWellFormed() && !/[\0\r\n]/.test(line.text));
  }
}

describe('a statement file that ends early is truncated', () => {
  for (const format of statement_formats) {
    test(`${format.name}, after any byte`, async () => {
      const whole = joined(format.writeStatements!(sampleStatements(3, 1)));
      // The slash at the end of BAI2 is left off by some banks.
      const content_end = whole.toString('latin1').trimEnd().replace(/\/$/, '').length;
      for (let end = 0; end < content_end; end += 1) {
        const rest = whole.subarray(0, end);
        // A file of messages has no end of its own: it may end after any of them.
        if (format === mt940 && rest.toString().trimEnd().endsWith('-}')) continue;
        const { status, code } = await readProblem(format, rest, [100_000]);
        assert.equal(status, 'truncated', `${code} without the last ${whole.length - end} bytes`);
      }
      for (let end = content_end; end <= whole.length; end += 1) {
        assert.equal((await readItems(format, whole.subarray(0, end))).at(-1)?.kind, 'end');
      }
    });
  }
});
