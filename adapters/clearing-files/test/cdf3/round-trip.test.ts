import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WrittenClearing } from '@tallystick/imports';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { cdf3 } from '../../src/cdf3/cdf3.ts';
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

/** A text that the format keeps: XML characters, without blanks at its ends, which are padding. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((drawn) => drawn.trim() === drawn && !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(drawn));

const clearing: fc.Arbitrary<WrittenClearing> = fc
  .tuple(
    arbitraryFields(text),
    fc.oneof(
      fc.record({ card_number: fc.stringMatching(/^[1-9]\d{11,18}$/) }),
      fc.record({ vcn_id: fc.integer({ min: 1, max: 2 ** 40 }).map(String) }),
    ),
    fc.stringMatching(/^\d{4}$/),
    fc.option(fc.stringMatching(/^[0-9A-Z]{6}$/), { nil: null }),
  )
  .map(([fields, card, last4, reference]) => ({
    input: {
      ...fields,
      ...card,
      net_reference_number: reference === null || reference === '000000' ? null : `   ${reference}    `,
    },
    ...('vcn_id' in card ? { last4 } : {}),
  }));

describe('a CDF3 file that is written', () => {
  test('is read back the same, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryContent(clearing), arbitrary_chunk_lengths, async (content, lengths) => {
        const bytes = joined(cdf3.write!(content));
        assert.equal(cdf3.detect(bytes.subarray(0, 4_096), null), true);
        const items = await readItems(cdf3, bytes, lengths);
        assert.deepEqual(
          clearingsOf(items).map(({ input, last4 }) => ({ input, last4 })),
          content.clearings.map(({ input, last4 }) => ({ input, last4: last4 ?? null })),
        );
        const {
          kind: _kind,
          ordinal: _ordinal,
          offset: _offset,
          file_id: _id,
          series: _series,
          ...header
        } = headerOf(items);
        const { clearings: _clearings, ...written } = content;
        assert.deepEqual(header, written);
        assert.equal(endOf(items).records, 4 + 2 * content.clearings.length);
      }),
      propertyParameters(),
    );
  });

  test('has a bad record for each clearing that is to be malformed', async () => {
    await assertMalformedAreBad(cdf3, arbitraryContent(clearing));
  });

  test('is not written when the format cannot express it', () => {
    const [{ input }] = fc.sample(clearing, 1) as [WrittenClearing];
    const write = (change: object): unknown => {
      const clearings = [{ input: { ...input, ...change } }];
      return joined(cdf3.write!({ sequence: 1, created_on: '2026-01-01', mode: 'test', clearings }));
    };
    assert.throws(() => write({ cycle: 'reversal' }), RangeError);
    assert.throws(() => write({ partial: true }), RangeError);
    assert.throws(() => write({ billing_currency: 'XXX' }), RangeError);
    assert.throws(() => write({ merchant_name: '\u0001' }), RangeError);
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
    const chunks = cdf3.write!({ sequence: 1, created_on: '2026-01-01', mode: 'test', clearings: endless() });
    let bytes = 0;
    for (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > 1_000_000) break;
    }
    assert.ok(drawn < 2_000);
  });
});
