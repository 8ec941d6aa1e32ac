import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WrittenClearing } from '@tallystick/imports';
import { isStorable } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { csvFormat } from '../../src/csv/csv.ts';
import { csv_date_forms } from '../../src/csv/dates.ts';
import { parseCsvProfile } from '../../src/csv/parse-profile.ts';
import { csv_fields } from '../../src/csv/profile.ts';
import { arbitraryContent, arbitraryFields } from '../arbitrary-content.ts';
import { arbitrary_chunk_lengths, assertMalformedAreBad, clearingsOf, endOf, joined, readItems } from '../reading.ts';

/**
 * Any text that can be stored, with quotes, delimiters, line breaks and characters of every plane.
 * Blanks at its ends are padding.
 */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', ' ', '\ufffd', 'a'), minLength: 1, maxLength: 8 }),
  )
  .filter((drawn) => drawn.trim() === drawn && drawn !== '' && isStorable(drawn));

const clearing: fc.Arbitrary<WrittenClearing> = fc
  .record({
    fields: arbitraryFields(text),
    card: fc.oneof(
      fc.record({ card_number: fc.stringMatching(/^[1-9]\d{11,18}$/), vcn_id: fc.constant(null) }),
      fc.record({ card_number: fc.constant(null), vcn_id: fc.stringMatching(/^[1-9]\d{0,12}$/) }),
    ),
    last4: fc.stringMatching(/^\d{4}$/),
    cycle: fc.option(fc.constantFrom('first_presentment', 'reversal', 'chargeback'), { nil: null }),
    partial: fc.option(fc.boolean(), { nil: null }),
    net_reference_number: fc.option(text, { nil: null }),
    mcc_description: fc.option(text, { nil: null }),
  })
  .map(({ fields, card, last4, ...others }) => ({
    input: { ...fields, ...card, ...others },
    ...(card.card_number === null ? { last4 } : {}),
  }));

const bank = parseCsvProfile({
  name: 'bank',
  delimiter: ';',
  amounts: 'decimal',
  decimal_separator: ',',
  columns: Object.fromEntries(csv_fields.map((field) => [`the "${field}"; of a bank`, field])),
  words: { clearing_type: { S: 'DEBIT', H: 'CREDIT' } },
  trailer: {
    column: 'the "cycle"; of a bank',
    value: 'SUM',
    count_column: 'the "mcc"; of a bank',
    sum_column: 'the "billing_amount"; of a bank',
  },
});

const all_dates = csv_date_forms.map((dates, at) => parseCsvProfile({ ...bank, name: `bank-${at}`, dates }));
const csv = csvFormat([bank, ...all_dates]);

describe('a CSV file that is written', () => {
  for (const variant of csv.variants!) {
    test(`by the profile ${variant} is read back the same, whatever the chunks`, async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryContent(clearing), arbitrary_chunk_lengths, async (content, lengths) => {
          const bytes = joined(csv.write!(content, variant));
          assert.equal(csv.detect(bytes.subarray(0, 4_096), null), true);
          const profile = variant === 'excel' ? 'default' : variant;
          const items = await readItems(csv, bytes, lengths, { profile });
          assert.deepEqual(
            clearingsOf(items).map(({ input, last4 }) => ({ ...input, last4 })),
            content.clearings.map(({ input, last4 }) => ({ ...input, last4: last4 ?? null })),
          );
          const { records } = endOf(items);
          assert.equal(records, content.clearings.length + (profile === 'default' ? 1 : 2));
        }),
        propertyParameters({ short: 15, full: 45 }),
      );
    });
  }

  test('has a bad record for each clearing that is to be malformed', async () => {
    await assertMalformedAreBad(csv, arbitraryContent(clearing), 'totals');
  });
});
