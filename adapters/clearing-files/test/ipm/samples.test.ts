import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clearingSamplesMissing, readClearingSample } from '@tallystick/test-support';
import { ipm } from '../../src/ipm/ipm.ts';
import { clearingsOf, endOf, headerOf, readItems } from '../reading.ts';
import { type IpmElements, readIpmElements } from './read-elements.ts';

const samples = ['ipm_sample_ascii_1014.ipm', 'ipm_sample_cp500_vbs.ipm'];

type Expected = Readonly<Record<string, string | number>>;

/** The samples were written by another program, which also states every element of them. */
describe('the IPM samples of the specification', { skip: clearingSamplesMissing() }, () => {
  for (const name of samples) {
    test(`${name} has exactly the elements that the other program reads`, async () => {
      const expected: readonly Expected[] = JSON.parse(readClearingSample('ipm_sample_expected.json').toString());
      const read: IpmElements[] = [];
      for await (const record of readIpmElements(once(readClearingSample(name)))) read.push(record);
      assert.equal(read.length, 42);
      for (const [at, { elements, problem }] of read.entries()) {
        assert.equal(problem, null);
        assert.deepEqual(
          elements,
          Object.fromEntries(Object.entries(expected[at]!).map(([key, value]) => [key, textOf(key, value, elements)])),
        );
      }
    });

    test(`${name} is read whole`, async () => {
      const items = await readItems(ipm, readClearingSample(name));
      assert.deepEqual(headerOf(items).mode, 'test');
      assert.equal(clearingsOf(items).length, 40);
      assert.equal(clearingsOf(items).filter(({ input }) => input.clearing_type === 'CREDIT').length, 2);
      assert.deepEqual(endOf(items), {
        kind: 'end',
        records: 42,
        control_totals: { PDS0306: '42', PDS0301: '8516391' },
      });
    });
  }

  test('are the same clearings in both containers and encodings', async () => {
    const [first, second] = await Promise.all(samples.map((name) => readItems(ipm, readClearingSample(name))));
    const inputs = (items: typeof first) => clearingsOf(items!).map(({ input }) => input);
    assert.deepEqual(inputs(first), inputs(second));
    const fourth = inputs(first)[3]!;
    assert.deepEqual(
      [
        fourth.merchant_amount,
        fourth.merchant_currency,
        fourth.billing_amount,
        fourth.billing_currency,
        fourth.exchange_rate,
      ],
      [207_101, 'EUR', 224_373, 'USD', '1.083400'],
    );
  });
});

/** The other program converts numbers and the date of DE12; the elements are texts. */
function textOf(key: string, value: string | number, elements: Readonly<Record<string, string>>): string {
  if (typeof value === 'number') return String(value).padStart(elements[key]?.length ?? 0, '0');
  return key === 'DE12' ? value.slice(2).replace(/\D/g, '') : value;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
