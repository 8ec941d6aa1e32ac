import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createFormats } from '@tallystick/imports';
import { clearing_formats } from '../src/index.ts';
import { badRecordsOf, clearingsOf, endOf, readItems, readProblem } from './reading.ts';
import { sampleContent, writings } from './sample-content.ts';
import { sampleBytes, sampleName, samples_folder } from './samples.ts';

describe('the samples of the product', () => {
  for (const writing of writings) {
    const name = sampleName(writing);

    test(`${name} is what the writer writes, and is read back`, async () => {
      const bytes = readFileSync(join(samples_folder, name));
      assert.ok(bytes.equals(sampleBytes(writing)), 'write it again: node --conditions=source test/samples.ts');
      assert.equal(createFormats(clearing_formats).detect(bytes.subarray(0, 4_096), null)?.name, writing.format.name);
      const items = await readItems(writing.format, bytes);
      assert.deepEqual(
        clearingsOf(items).map(({ input }) => [input.billing_amount, input.billing_currency, input.merchant_amount]),
        sampleContent(11, 1).clearings.map(({ input }) => [
          input.billing_amount,
          input.billing_currency,
          input.merchant_amount,
        ]),
      );
      assert.equal(badRecordsOf(items).length, 1);
      assert.ok(endOf(items).records >= 13);
    });
  }

  test('state how many records were read when half of one comes, whatever the chunks', async () => {
    for (const writing of writings.filter(({ variant }) => variant !== 'default' && variant !== 'excel')) {
      const bytes = sampleBytes(writing);
      const half = bytes.subarray(0, bytes.length / 2);
      const problem = await readProblem(writing.format, half);
      assert.ok(problem.records !== null && problem.records > 3 && problem.records < 20, writing.name);
      assert.equal((await readProblem(writing.format, half, [1])).records, problem.records, writing.name);
    }
  });

  test('are refused by every other format', async () => {
    for (const writing of writings) {
      const bytes = sampleBytes(writing);
      for (const format of clearing_formats.filter(({ name }) => name !== writing.format.name)) {
        for (const length of [bytes.length, 1_500]) {
          const { status, code, offset } = await readProblem(format, bytes.subarray(0, length));
          assert.equal(status, 'refused', `${writing.name} as ${format.name}: ${code} at ${offset}`);
        }
      }
    }
  });

  test('are all made by the writers', () => {
    const files = readdirSync(samples_folder).filter((name) => name !== 'README.md');
    assert.deepEqual(files.toSorted(), writings.map(sampleName).toSorted());
  });
});
