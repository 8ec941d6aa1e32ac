import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WrittenClearing } from '@tallystick/imports';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { ipm } from '../../src/ipm/ipm.ts';
import { arbitraryContent, arbitraryFields } from '../arbitrary-content.ts';
import {
  arbitrary_chunk_lengths,
  assertMalformedAreBad,
  clearingsOf,
  endOf,
  headerOf,
  joined,
  readItems,
} from '../reading.ts';

/** Latin-1 without the backslash, which ends a name. Blanks at the end fill elements up. */
const text = fc
  .string({
    unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 15,
  })
  .filter((drawn) => drawn.trimEnd() === drawn && !drawn.includes('\\'));

const rate = fc.oneof(
  fc.stringMatching(/^[1-9]\d{0,2}\.\d{1,4}$/),
  fc.stringMatching(/^0\.0{0,2}\d{0,6}[1-9]$/),
  fc.stringMatching(/^[1-9]\d{0,6}$/),
);

const clearing: fc.Arbitrary<WrittenClearing> = fc
  .record({
    fields: arbitraryFields(text),
    card_number: fc.stringMatching(/^[1-9]\d{11,18}$/),
    exchange_rate: fc.option(rate, { nil: null }),
    cycle: fc.constantFrom('first_presentment', 'second_presentment', 'chargeback', 'reversal'),
    partial: fc.boolean(),
    net_reference_number: fc.option(fc.stringMatching(/^[A-Z0-9]{3}[A-Z0-9 ]{9}\d$/), { nil: null }),
  })
  .map(({ fields, ...others }) => {
    const billing_amount = Math.min(fields.billing_amount, 999_999_999_999);
    const merchant = Math.min(fields.merchant_amount ?? billing_amount, 999_999_999_999);
    return {
      input: {
        ...fields,
        ...others,
        billing_amount,
        merchant_amount: merchant,
        merchant_currency: fields.merchant_currency ?? fields.billing_currency,
      },
    };
  });

const content = arbitraryContent(clearing).map((drawn) => ({ ...drawn, sequence: (drawn.sequence % 99_999) + 1 }));

describe('an IPM file that is written', () => {
  for (const variant of ipm.variants!) {
    test(`as ${variant} is read back the same, whatever the chunks`, async () => {
      await fc.assert(
        fc.asyncProperty(content, arbitrary_chunk_lengths, async (drawn, lengths) => {
          const bytes = joined(ipm.write!(drawn, variant));
          assert.equal(ipm.detect(bytes.subarray(0, 4_096), null), true);
          const items = await readItems(ipm, bytes, lengths);
          const { sequence, created_on, mode } = headerOf(items);
          assert.deepEqual(
            { sequence, created_on, mode },
            { sequence: drawn.sequence, created_on: drawn.created_on, mode: drawn.mode },
          );
          assert.deepEqual(
            clearingsOf(items).map(
              ({
                input: { network_financial_transaction_id: _id, vcn_id: _card, mcc_description: _words, ...input },
              }) => input,
            ),
            drawn.clearings.map(({ input: { network_financial_transaction_id: _id, ...input } }) => ({
              ...input,
              exchange_rate: input.exchange_rate ?? '1',
            })),
          );
          const sum = drawn.clearings.reduce((total, { input }) => total + BigInt(input.merchant_amount!), 0n);
          assert.equal(endOf(items).control_totals.PDS0301, String(sum));
        }),
        propertyParameters({ short: 40, full: 120 }),
      );
    });
  }

  test('has other transaction ids in another file, and the same when it is read again', async () => {
    const [first] = fc.sample(
      content.filter(({ clearings }) => clearings.length > 1),
      1,
    );
    const ids = async (sequence: number, variant: string) =>
      clearingsOf(await readItems(ipm, joined(ipm.write!({ ...first!, sequence }, variant)))).map(
        ({ input }) => input.network_financial_transaction_id,
      );
    const one = await ids(1, 'vbs-ascii');
    assert.deepEqual(one, await ids(1, '1014-cp500'));
    assert.equal(new Set([...one, ...(await ids(2, 'vbs-ascii'))]).size, 2 * one.length);
  });

  test('has a bad record for each clearing that is to be malformed', async () => {
    await assertMalformedAreBad(ipm, content);
  });

  test('has a question mark for what its encoding lacks, and a name that fits', async () => {
    const [written] = fc.sample(clearing, 1);
    const input = {
      ...written!.input,
      merchant_name: `\u{1f600} caf\u00e9 \u0142 \\ ${'x'.repeat(200)}`,
      merchant_id: '\u{1f600}',
    };
    const file = joined(
      ipm.write!({ sequence: 1, created_on: '2026-01-01', mode: 'test', clearings: [{ input }] }, 'vbs-cp500'),
    );
    const [read] = clearingsOf(await readItems(ipm, file));
    assert.match(read!.input.merchant_name!, /^\? café \? \/ x+$/);
    assert.equal(read!.input.merchant_id, '?');
  });

  test('is not written when the format cannot express it', () => {
    const [{ input }] = fc.sample(clearing, 1) as [WrittenClearing];
    const write = (change: object, variant?: string): unknown =>
      joined(
        ipm.write!(
          { sequence: 1, created_on: '2026-01-01', mode: 'test', clearings: [{ input: { ...input, ...change } }] },
          variant,
        ),
      );
    assert.throws(() => write({ card_number: null, vcn_id: 5 }), RangeError);
    assert.throws(() => write({ billing_amount: 1_000_000_000_000 }), RangeError);
    assert.throws(() => write({ billing_currency: 'XXX' }), RangeError);
    assert.throws(() => write({ settlement_date: '1999-01-01' }), RangeError);
    assert.throws(() => write({ exchange_rate: '1.12345678' }), RangeError);
    assert.throws(() => write({ acquirer_reference_data: '1'.repeat(24) }), RangeError);
    assert.throws(() => write({}, 'vbs-utf8'), /ipm has no variant vbs-utf8: vbs-ascii/);
  });

  test('is written no further than it is taken', () => {
    let drawn = 0;
    const [written] = fc.sample(clearing, 1) as [WrittenClearing];
    const endless = function* (): Generator<WrittenClearing> {
      for (;;) {
        drawn += 1;
        yield written;
      }
    };
    let bytes = 0;
    for (const chunk of ipm.write!(
      { sequence: 1, created_on: '2026-01-01', mode: 'test', clearings: endless() },
      '1014-ascii',
    )) {
      bytes += chunk.length;
      if (bytes > 1_000_000) break;
    }
    assert.ok(drawn < 10_000);
  });
});
