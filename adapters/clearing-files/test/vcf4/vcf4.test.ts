import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WrittenClearing } from '@tallystick/imports';
import { clearingSamplesMissing, propertyParameters, readClearingSample } from '@tallystick/test-support';
import fc from 'fast-check';
import { vcf4 } from '../../src/vcf4/vcf4.ts';
import { arbitraryContent, arbitraryFields } from '../arbitrary-content.ts';
import {
  arbitrary_chunk_lengths,
  assertProblem,
  badRecordsOf,
  clearingsOf,
  endOf,
  headerOf,
  joined,
  rawOf,
  readItems,
  readProblem,
} from '../reading.ts';

/** A text that the format keeps: no controls, no zeros alone, and no blanks at its ends, which are padding. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((drawn) => drawn.trim() === drawn && !/[\p{Cc}\p{Cs}]|^0+$/u.test(drawn));

const clearing: fc.Arbitrary<WrittenClearing> = fc
  .tuple(arbitraryFields(text), fc.stringMatching(/^[1-9]\d{11,18}$/))
  .map(([fields, card_number]) => {
    const { acquirer_reference_data: _reference, approval_code: _code, exchange_rate: _rate, ...kept } = fields;
    return { input: { ...kept, card_number } };
  });

describe('a VCF4 file that is written', () => {
  test('is read back the same, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryContent(clearing), arbitrary_chunk_lengths, async (content, lengths) => {
        const bytes = joined(vcf4.write!(content));
        assert.equal(vcf4.detect(bytes.subarray(0, 4_096), null), true);
        const items = await readItems(vcf4, bytes, lengths);
        assert.deepEqual(
          clearingsOf(items).map(({ input }) => input),
          content.clearings.map(({ input }) => input),
        );
        const { sequence, created_on, mode } = headerOf(items);
        assert.deepEqual([sequence, created_on, mode], [content.sequence, content.created_on, null]);
        assert.equal(endOf(items).records, 4 + content.clearings.length);
      }),
      propertyParameters(),
    );
  });

  test('has a bad record for a clearing that is to be malformed', async () => {
    const [written] = fc.sample(clearing, 1) as [WrittenClearing];
    const items = await readItems(vcf4, writtenFile([{ ...written, malformed: true }]));
    assert.equal(badRecordsOf(items)[0]?.code, 'amount_malformed');
  });

  test('is not written when the format cannot express it', () => {
    const [{ input }] = fc.sample(clearing, 1) as [WrittenClearing];
    const write = (change: object): unknown => writtenFile([{ input: { ...input, ...change } }]);
    assert.throws(() => write({ card_number: null, vcn_id: '1' }), RangeError);
    assert.throws(() => write({ cycle: 'chargeback' }), RangeError);
    assert.throws(() => write({ merchant_name: 'a\tb' }), RangeError);
    assert.throws(() => write({ billing_amount: 1_001, billing_currency: 'KWD' }), RangeError);
  });
});

function writtenFile(clearings: readonly WrittenClearing[]): Buffer {
  return joined(vcf4.write!({ sequence: 1, created_on: '2026-05-07', mode: 'test', clearings }));
}

const header = '6\t9999999999\t1\t05072026\t0\t0\t0\t4.0';
const trailer = '7\t9999999999\t1\t05072026\t0\t0\t0\t4.0';
const opening = '8\t9999999999\t1\t05072026\t5\t0\t0\t4.0';
const closing = '9\t9999999999\t1\t05072026\t5\t2\t14690\t4.0';
const debit =
  '4\t4111111111111111\t05062026\tTXN1\t1\t20265\t123456\tACCEPTOR1\tOFFICE DEPOT\tTORONTO\tON\t124\tM5V1A1\t00\t12345\t0\t5943\t10\t05052026\t124\t1605';
const credit =
  '4\t4111111111111111\t05072026\tTXN2\t2\t20265\t123456\tACCEPTOR1\tOFFICE DEPOT\tTORONTO\tON\t124\tM5V1A1\t2345\t2345\t840\t5943\t11\t05062026\t124\t305';

function fileOf(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.join('\n'));
}

/** A file with two card transactions, with one text in the place of another. */
function changed(from: string, to: string): Buffer {
  return Buffer.from(fileOf(header, opening, debit, credit, closing, trailer).toString().replace(from, to));
}

describe('the records of a VCF4 file', () => {
  test('maps the columns of a card transaction to their fields', async () => {
    const [first, second] = clearingsOf(await readItems(vcf4, changed('', '')));
    assert.deepEqual(first?.input, {
      card_number: '4111111111111111',
      network_financial_transaction_id: 'TXN1-1',
      billing_amount: 12_345,
      billing_currency: 'CAD',
      merchant_amount: null,
      merchant_currency: null,
      clearing_type: 'DEBIT',
      settlement_date: '2026-05-06',
      authorization_date: '2026-05-05',
      acquirer_ica: '123456',
      mcc: '5943',
      merchant_id: 'ACCEPTOR1',
      merchant_name: 'OFFICE DEPOT',
    });
    assert.deepEqual(
      [second?.ordinal, second?.offset, second?.input.clearing_type, second?.input.merchant_currency],
      [4, fileOf(header, opening, debit, '').length, 'CREDIT', 'USD'],
    );
  });

  test('has an id of the reference number and the sequence number, because a reference may be repeated', async () => {
    const repeated = clearingsOf(await readItems(vcf4, changed('TXN2', 'TXN1')));
    assert.deepEqual(
      repeated.map(({ input }) => [input.network_financial_transaction_id, input.billing_amount]),
      [
        ['TXN1-1', 12_345],
        ['TXN1-2', 2_345],
      ],
    );
    const [unnumbered] = clearingsOf(await readItems(vcf4, changed('TXN1\t1', 'TXN1\t')));
    assert.equal(unnumbered?.input.network_financial_transaction_id, 'TXN1');
  });

  test('passes on no id for a charge without a reference, or with one of zeros', async () => {
    for (const reference of ['', ' ', '00000000000000000000000']) {
      const [charge] = clearingsOf(await readItems(vcf4, changed('TXN1', reference)));
      assert.equal(charge?.input.network_financial_transaction_id, null);
    }
    const [unnumbered] = clearingsOf(await readItems(vcf4, changed('TXN1\t1', 'TXN1\t0000000000')));
    assert.equal(unnumbered?.input.network_financial_transaction_id, 'TXN1');
  });

  test('reads frames of 16 columns, padded, and ignores what follows the columns that are known', async () => {
    const wide = changed('', '')
      .toString()
      .replaceAll('\t4.0', '\t4.0       \t446366\t12\t3\t\t\t\t\t')
      .replaceAll(/\t(14690)\t/g, '\t0000000000014690\t')
      .replace('9\t9999999999\t1\t', ' 9 \t9999999999 \t00001\t');
    assert.equal(vcf4.detect(Buffer.from(wide), null), true);
    const items = await readItems(vcf4, Buffer.from(wide));
    assert.equal(clearingsOf(items).length, 2);
    assert.deepEqual(endOf(items).control_totals, { transactions: '2', billing_amounts: '14690' });
  });

  test('reads currencies of three and five digits, or without the zeros before them', async () => {
    for (const [from, to, currency] of [
      ['\t124\t1605', '\t00124\t1605', 'CAD'],
      ['\t124\t1605', '\t840', 'USD'],
      ['\t124\t1605', '\t36\t', 'AUD'],
      ['\t124\t1605', '\tUSD', 'USD'],
    ] as const) {
      const [first] = clearingsOf(await readItems(vcf4, changed(from, to)));
      assert.equal(first?.input.billing_currency, currency, to);
    }
  });

  test('takes a date of zeros for none, and has then no file id', async () => {
    const frames = [header, opening, closing, trailer].map((line) => line.replace('05072026', '00000000'));
    const undated = fileOf(frames[0]!, frames[1]!, debit, credit, frames[2]!, frames[3]!).toString();
    const items = await readItems(vcf4, Buffer.from(undated.replace('05052026', '00000000')));
    const { file_id, created_on, sequence } = headerOf(items);
    assert.deepEqual([file_id, created_on, sequence], [null, null, 1]);
    assert.deepEqual(
      clearingsOf(items).map(({ input, unread }) => [input.authorization_date, unread]),
      [
        [null, undefined],
        ['2026-05-06', undefined],
      ],
    );
  });

  const unread: readonly (readonly [field: string, from: string, to: string])[] = [
    ['merchant_amount', '\t00\t12345\t0\t', '\tx\t12345\t124\t'],
    ['merchant_amount', '\t00\t12345\t0\t', '\t100\t12345\t999\t'],
    ['merchant_amount', '\t00\t12345\t0\t', '\t12345\t12345\t392\t'],
    ['authorization_date', '05052026', '2026050'],
    ['authorization_date', '05052026', '02302026'],
    ['mcc', '\t5943\t10', '\tX43\t10'],
  ];
  for (const [field, from, to] of unread) {
    test(`applies a record without its ${field}: ${JSON.stringify(to)}`, async () => {
      const items = await readItems(vcf4, changed(from, to));
      const [first] = clearingsOf(items);
      assert.equal(badRecordsOf(items).length, 0);
      assert.deepEqual([first?.input[field as 'mcc'], first?.unread], [null, [field]]);
    });
  }

  test('skips blank lines and a byte order mark, and reads lines that end in tabs, blanks and CRLF', async () => {
    const lines = ['\ufeff', header, '\t\t', opening, `${debit}\t\t `, '', credit, closing, trailer, '', ' '];
    const bytes = Buffer.from(lines.join('\r\n'));
    assert.equal(vcf4.detect(bytes, null), true);
    const items = await readItems(vcf4, bytes, [7]);
    assert.deepEqual(
      clearingsOf(items).map(({ ordinal, offset }) => [ordinal, offset]),
      [
        [3, bytes.indexOf(debit)],
        [4, bytes.indexOf(credit)],
      ],
    );
    assert.equal(endOf(items).records, 6);
  });

  test('reads lines that end in CR alone', async () => {
    const bytes = Buffer.from(changed('', '').toString().replaceAll('\n', '\r'));
    assert.equal(clearingsOf(await readItems(vcf4, bytes, [11])).length, 2);
  });

  test('does not compare a count or a sum that a block does not state', async () => {
    const items = await readItems(vcf4, changed('\t2\t14690', '\t\t'));
    assert.deepEqual(endOf(items).control_totals, { transactions: '2', billing_amounts: '14690' });
  });

  test('counts the records of other blocks, and reads lines that end in two characters', async () => {
    const other = [opening, '4\tEMP-1\tHQ', closing].map((line) =>
      line.replace('\t5\t', '\t3\t').replace('\t2\t14690', '\t1\t0'),
    );
    const bytes = Buffer.from(
      fileOf(header, ...other, trailer, '')
        .toString()
        .replaceAll('\n', '\r\n'),
    );
    const items = await readItems(vcf4, bytes, [1]);
    assert.deepEqual(
      items.map((item) => (item.kind === 'other' ? [item.type, Buffer.from(item.raw!).toString()] : item.kind)),
      ['header', ['4/3', '4\tEMP-1\tHQ'], 'end'],
    );
  });

  const bad: readonly (readonly [code: string, from: string, to: string])[] = [
    ['card_missing', '4111111111111111\t05062026', '411111XXXXXX1111\t05062026'],
    ['direction_missing', '\t10\t', '\t \t'],
    ['type_unknown', '\t10\t', '\t99\t'],
    ['amount_malformed', '\t124\t1605', '\t999\t1605'],
    ['amount_malformed', '\t124\t1605', '\t392\t1605'],
    ['date_malformed', '05062026', '02302026'],
    ['date_malformed', '05062026', '00000000'],
    ['columns_missing', '\t5943\t10\t05052026\t124\t1605', ''],
    ['code_unknown', '4\t4111111111111111\t05062026', '1\t4111111111111111\t05062026'],
  ];
  for (const [code, from, to] of bad) {
    test(`reports a record as bad: ${code}: ${JSON.stringify(to)} for ${JSON.stringify(from)}`, async () => {
      const items = await readItems(vcf4, changed(from, to));
      assert.deepEqual([badRecordsOf(items).length, clearingsOf(items).length], [1, 1]);
      assert.equal(badRecordsOf(items)[0]?.code, code);
      assert.equal(rawOf(badRecordsOf(items)[0]), debit.replace(from, to));
      const { ordinal, offset, raw } = badRecordsOf(items)[0]!;
      const place = { ordinal, offset, file_id: null, created_on: null };
      assert.deepEqual(vcf4.readRecord?.(raw, place), badRecordsOf(items)[0]);
      assert.equal(vcf4.readRecord?.(Buffer.from(debit), place).kind, 'clearing');
    });
  }

  test('reads names in UTF-8, UTF-16 and Windows-1252', async () => {
    const text = changed('OFFICE DEPOT', 'DÉPÔT').toString();
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'latin1'), wide, Buffer.from(wide).swap16()]) {
      assert.equal(vcf4.detect(bytes, null), true);
      assert.equal(clearingsOf(await readItems(vcf4, bytes, [5]))[0]?.input.merchant_name, 'DÉPÔT');
    }
  });
});

describe('a VCF4 file is refused', () => {
  const wrong: readonly (readonly [problem: string, what: string, bytes: Buffer])[] = [
    ['count_differs', 'whose block counts another number of records', changed('\t2\t14690', '\t3\t14690')],
    ['sum_differs', 'whose block sums another amount', changed('\t2\t14690', '\t2\t14691')],
    ['sum_differs', 'whose record has an amount that cannot be read', changed('\t12345\t', '\t12E45\t')],
    ['count_differs', 'whose record is missing', fileOf(header, opening, debit, closing, trailer)],
    ['header_missing', 'without a header', fileOf(opening, closing, trailer)],
    ['file_ids_differ', 'whose trailer has another sequence', changed(trailer, trailer.replace('\t1\t', '\t2\t'))],
    ['line_misplaced', 'with a second header', fileOf(header, header, trailer)],
    ['line_misplaced', 'with a record outside of a block', fileOf(header, debit, trailer)],
    ['line_misplaced', 'with a block in a block', fileOf(header, opening, opening, closing, trailer)],
    ['line_misplaced', 'that ends in a block', fileOf(header, opening, trailer)],
    ['line_misplaced', 'whose block ends as another', changed(closing, closing.replace('\t5\t', '\t4\t'))],
    ['line_malformed', 'whose header has a date that does not exist', changed('05072026', '13072026')],
    ['version_unknown', 'of another version', changed('4.0', '3.0')],
    ['bytes_after_end', 'with a line after the trailer', fileOf(header, trailer, header)],
    ['line_too_long', 'with a line above 64 KiB', fileOf(header, 'x'.repeat(70_000), trailer)],
  ];
  for (const [code, what, bytes] of wrong) {
    test(what, async () => {
      const { message } = await assertProblem(vcf4, Buffer.concat([bytes, Buffer.from('\n')]), `refused: ${code}`);
      assert.match(message, /line \d+ at offset \d+/);
    });
  }

  test('as truncated when it ends anywhere before its end, and only then', async () => {
    const bytes = changed('', '');
    for (let length = 0; length < bytes.length; length += 1) {
      const problem = await readProblem(vcf4, bytes.subarray(0, length));
      assert.equal(problem.status, 'truncated', `of ${length} bytes: ${problem.message}`);
    }
  });
});

test('reads the sample of another program whole', { skip: clearingSamplesMissing() }, async () => {
  const items = await readItems(vcf4, readClearingSample('vcf4_minimal.tsv'));
  assert.deepEqual(
    clearingsOf(items).map(({ input }) => [input.billing_amount, input.billing_currency, input.clearing_type]),
    [
      [12_345, 'CAD', 'DEBIT'],
      [2_345, 'CAD', 'CREDIT'],
    ],
  );
  assert.deepEqual(endOf(items).control_totals, { transactions: '2', billing_amounts: '14690' });
});
