import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FileProblem } from '@tallystick/imports';
import { csvFormat } from '../../src/csv/csv.ts';
import { parseCsvProfile } from '../../src/csv/parse-profile.ts';
import type { CsvProfileInput } from '../../src/csv/profile.ts';
import { assertProblem, badRecordsOf, clearingsOf, endOf, headerOf, rawOf, readItems } from '../reading.ts';

const csv = csvFormat();

const names =
  'network_financial_transaction_id,card_number,billing_amount,billing_currency,clearing_type,settlement_date';
const values = 'T1,5555440000000006,1234,USD,DEBIT,2026-07-16';

function fileOf(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

/** A row of the plain columns with other values. */
function rowOf(change: Readonly<Record<string, string>>): string {
  return names
    .split(',')
    .map((name, at) => change[name] ?? values.split(',')[at])
    .join(',');
}

const bank_profile: CsvProfileInput = {
  name: 'bank',
  delimiter: ';',
  columns: { Karte: 'vcn_id', Betrag: 'billing_amount', Art: 'clearing_type', Datum: 'settlement_date' },
  constants: { billing_currency: 'EUR' },
  words: { clearing_type: { S: 'DEBIT', H: 'CREDIT' } },
  dates: 'DD.MM.YYYY',
  amounts: 'decimal',
  decimal_separator: ',',
  id_columns: ['Ref', 'Datum'],
  trailer: { column: 'Ref', value: 'SUMME', count_column: 'Karte', sum_column: 'Betrag' },
};
const bank_header = 'Ref;Karte;Betrag;Art;Datum';

describe('a CSV file', () => {
  test('has the columns of a clearing, in any order, with a line break of either kind and a byte order mark', async () => {
    const file = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(`${names}\r\n\r\n${values}\r\n`)]);
    for (const lengths of [[1], [2], [1_000]]) {
      const items = await readItems(csv, file, lengths);
      const [clearing] = clearingsOf(items);
      assert.equal(clearing?.input.billing_amount, 1234);
      assert.equal(clearing?.input.card_number, '5555440000000006');
      assert.deepEqual([clearing?.ordinal, clearing?.offset], [2, file.indexOf('\r\n\r\n') + 2]);
      assert.equal(headerOf(items).file_id, null);
      assert.deepEqual(endOf(items), { kind: 'end', records: 2, control_totals: {} });
    }
  });

  test('may lack the last line break', async () => {
    assert.equal(clearingsOf(await readItems(csv, fileOf(names, values).subarray(0, -1))).length, 1);
  });

  test('is recognised by the header row of a profile that is known', () => {
    assert.equal(csv.detect(fileOf(names), null), true);
    assert.equal(csv.detect(fileOf(`${names},other`), null), false);
    assert.equal(csv.detect(fileOf('a,b,c'), 'clearing.csv'), false);
    assert.equal(csv.detect(fileOf('"broken'), null), false);
    assert.equal(csvFormat([parseCsvProfile(bank_profile)]).detect(fileOf(bank_header), null), true);
  });

  test('is refused with an unknown or a repeated column, or without a required one', async () => {
    await assertProblem(csv, fileOf(`${names},other`, `${values},1`), 'refused: header_unknown');
    await assertProblem(csv, fileOf(`${names},mcc,mcc`, `${values},1,1`), 'refused: header_unknown');
    const problem = await assertProblem(csv, fileOf('card_number,mcc'), 'refused: header_unknown');
    assert.match(problem.message, /default: it lacks the columns network_financial_transaction_id, billing_amount/);
    await assertProblem(csv, Buffer.alloc(0), 'truncated: file_truncated');
    await assertProblem(csv, Buffer.alloc(100_000, 'x'), 'refused: header_unknown');
  });

  test('is refused when its quotes or the length of a row leave no way to separate rows', async () => {
    await assertProblem(csv, fileOf(names, `"${values}`), 'truncated: quote_open');
    await assertProblem(csv, fileOf(names, `"T"1${values}`), 'refused: quote_invalid');
    await assertProblem(csv, fileOf(names, `T"1"${values}`), 'refused: quote_invalid');
    await assertProblem(csv, fileOf(names, 'x'.repeat(40_000)), 'refused: row_too_long');
    await assertProblem(csv, fileOf(names, ','.repeat(100_000)), 'refused: row_too_long');
  });

  test('keeps no more of an endless row than its bound', async () => {
    for (const piece of [',', '\n', 'x', '"x\n']) {
      let sent = 0;
      const endless = async function* (): AsyncGenerator<Uint8Array> {
        yield fileOf(names);
        for (; sent < 10_000_000; sent += 1_000) yield Buffer.from(piece.repeat(1_000));
      };
      await assert.rejects(async () => {
        for await (const _ of csv.read(endless()));
      }, FileProblem);
      assert.ok(sent < 100_000, `${JSON.stringify(piece)} was refused after ${sent} rounds of bytes`);
    }
  });
});

describe('a bad CSV record', () => {
  const cases: readonly (readonly [code: string, change: Readonly<Record<string, string>>])[] = [
    ['amount_malformed', { billing_amount: '12.34' }],
    ['amount_malformed', { billing_amount: '-1' }],
    ['amount_malformed', { billing_amount: ' 1' }],
    ['amount_inexact', { billing_amount: '1000000000001' }],
    ['currency_unknown', { billing_currency: 'XXX' }],
    ['currency_unknown', { billing_currency: 'usd' }],
    ['date_invalid', { settlement_date: '2026-02-30' }],
    ['date_invalid', { settlement_date: '0000-07-16' }],
    ['date_invalid', { settlement_date: '16.07.2026' }],
    ['field_missing', { settlement_date: '' }],
    ['field_missing', { network_financial_transaction_id: '' }],
    ['card_number_malformed', { card_number: '555544000000000X' }],
    ['card_missing', { card_number: '' }],
    ['card_missing', { card_number: '555544******0006' }],
    ['columns_differ', { settlement_date: '2026-07-16,' }],
  ];
  for (const [code, change] of cases) {
    test(`${code}: ${JSON.stringify(change)}`, async () => {
      const items = await readItems(csv, fileOf(names, rowOf(change), values));
      const [bad] = badRecordsOf(items);
      assert.equal(bad?.code, code);
      assert.doesNotMatch(bad!.reason, /\d{12}/);
      assert.equal(clearingsOf(items).length, 1, 'the next row is read');
    });
  }

  test('is not UTF-8', async () => {
    const file = Buffer.concat([
      fileOf(names),
      Buffer.from(rowOf({ network_financial_transaction_id: 'Zo\u00eb' }), 'latin1'),
    ]);
    assert.equal(badRecordsOf(await readItems(csv, file))[0]?.code, 'encoding_invalid');
    const replaced = fileOf(names, rowOf({ network_financial_transaction_id: 'Zo\ufffd' }));
    assert.equal(badRecordsOf(await readItems(csv, replaced)).length, 0, 'the replacement character is a character');
  });

  test('is read again from its bytes, which begin with the header row', async () => {
    const [bad] = badRecordsOf(await readItems(csv, fileOf(names, rowOf({ billing_currency: 'ZZZ' }))));
    assert.equal(rawOf(bad), `${names}\n${rowOf({ billing_currency: 'ZZZ' })}\n`);
    const place = { ordinal: 2, offset: bad!.offset, file_id: null, created_on: null };
    assert.deepEqual(csv.readRecord!(bad!.raw, place), bad);
    const [sound] = clearingsOf(await readItems(csv, fileOf(names, values)));
    assert.deepEqual(csv.readRecord!(Buffer.from(rawOf(bad).replace('ZZZ', 'USD')), place), sound);
  });

  test('stays bad when no profile of today can read its bytes as one row', async () => {
    const columns = Object.fromEntries(names.split(',').map((name) => [name, name]));
    const unquoted = parseCsvProfile({ name: 'unquoted', quote: null, columns });
    const quoted = parseCsvProfile({ ...unquoted, quote: '"' });
    const place = { ordinal: 2, offset: 0, file_id: null, created_on: null };
    const cases = [
      ['header_unknown', csvFormat(), fileOf('Ref;Karte', 'A1;12')],
      ['header_unknown', csvFormat(), fileOf('"broken', values)],
      ['row_malformed', csvFormat([quoted]), fileOf(names, `"${values}`)],
      ['row_malformed', csvFormat([quoted]), fileOf(names, `5555440000000006"${values}`)],
      ['row_malformed', csvFormat([unquoted]), fileOf(names, values, values)],
      ['row_malformed', csvFormat([unquoted]), fileOf(names)],
    ] as const;
    for (const [code, format, raw] of cases) {
      const again = format.readRecord!(raw, place);
      assert.deepEqual(again, { ...again, kind: 'bad', ordinal: 2, offset: 0, code, raw });
      assert.doesNotMatch((again as { reason: string }).reason, /\d{12}/);
    }
  });
});

describe('a CSV profile', () => {
  const bank = csvFormat([parseCsvProfile(bank_profile)]);

  test('states columns, constants, words, dates and amounts', async () => {
    const file = fileOf(bank_header, 'A1;12;1234,5;S;16.07.2026', 'A2;12;0;H;17.07.2026', 'SUMME;2;1234,50;;');
    const items = await readItems(bank, file);
    assert.deepEqual(
      clearingsOf(items).map(({ input, synthetic_id }) => [
        input.vcn_id,
        input.billing_amount,
        input.billing_currency,
        input.clearing_type,
        input.settlement_date,
        synthetic_id,
      ]),
      [
        ['12', 123_450, 'EUR', 'DEBIT', '2026-07-16', true],
        ['12', 0, 'EUR', 'CREDIT', '2026-07-17', true],
      ],
    );
    assert.deepEqual(endOf(items).control_totals, { count: '2', sum: '1234,50' });
  });

  test('makes the same id of the same identifying columns', async () => {
    const rows = ['A1;12;1;S;16.07.2026', 'A1;12;2;S;16.07.2026', 'A1;12;1;S;17.07.2026'];
    const items = await readItems(bank, fileOf(bank_header, ...rows, 'SUMME;3;4;;'));
    const [first, second, third] = clearingsOf(items).map(({ input }) => input.network_financial_transaction_id);
    assert.equal(first, second);
    assert.notEqual(first, third);
  });

  test('has a strict trailer', async () => {
    const row = 'A1;12;1234,5;S;16.07.2026';
    await assertProblem(bank, fileOf(bank_header, row), 'truncated: trailer_missing');
    await assertProblem(bank, fileOf(bank_header, row, 'SUMME;2;1234,5;;'), 'refused: count_differs');
    const other_sum = await assertProblem(bank, fileOf(bank_header, row, 'SUMME;1;1234,51;;'), 'refused: sum_differs');
    assert.match(other_sum.message, /states 1234,51 as the sum of all billing amounts, but they sum to 1234,5$/);
    const misplaced = fileOf(bank_header, 'A1;12;5555440000000006;S;16.07.2026', 'SUMME;1;1,00;;');
    const hidden = await assertProblem(bank, misplaced, 'refused: sum_differs');
    assert.match(hidden.message, /they sum to \(many digits\)$/, 'a card number in the column of amounts');
    await assertProblem(bank, fileOf(bank_header, row, 'SUMME;1;;;'), 'refused: trailer_malformed');
    await assertProblem(bank, fileOf(bank_header, row, 'SUMME;1;1234,5'), 'refused: trailer_malformed');
    await assertProblem(bank, fileOf(bank_header, row, 'SUMME;1;1234,5;;', row), 'refused: record_after_trailer');
    const unreadable = await assertProblem(
      bank,
      fileOf(bank_header, 'A1;12;1.234,5;S;16.07.2026'),
      'refused: amount_unreadable',
    );
    assert.match(unreadable.message, /Betrag of row 2 at offset 27/);
    const bad = 'A1;12;0,001;S;16.07.2026';
    assert.equal(
      badRecordsOf(await readItems(bank, fileOf(bank_header, bad, 'SUMME;1;0,001;;'))).length,
      1,
      'it still counts',
    );
  });

  test('has one file id in all rows', async () => {
    const header = `record,file_id,${names}`;
    const trailer = 'trailer,F1,1,,1234,,,';
    assert.equal(headerOf(await readItems(csv, fileOf(header, `,F1,${values}`, trailer))).file_id, 'F1');
    await assertProblem(csv, fileOf(header, `,F2,${values}`, trailer), 'refused: file_ids_differ');
  });

  test('has the file id of the first row with as many columns as the header; rows before it are bad', async () => {
    const header = `record,file_id,${names}`;
    const rows = [`,F1,${values},extra`, `,F1,${values},extra`, `,F1,${values}`];
    const file = fileOf(header, ...rows, 'trailer,F1,3,,3702,,,');
    for (const lengths of [[1], [1_000]]) {
      const items = await readItems(csv, file, lengths);
      assert.deepEqual(
        items.map((item) => ('ordinal' in item ? `${item.kind} ${item.ordinal}` : item.kind)),
        ['header 1', 'bad 2', 'bad 3', 'clearing 4', 'end'],
      );
      assert.equal(headerOf(items).file_id, 'F1');
    }
    const only_trailer = await readItems(csv, fileOf(header, rows[0]!, 'trailer,F1,1,,1234,,,'));
    assert.deepEqual([headerOf(only_trailer).file_id, badRecordsOf(only_trailer).length], ['F1', 1]);
    await assertProblem(csv, fileOf(header, ...rows, `,F2,${values}`), 'refused: file_ids_differ');
  });

  test('is refused when no file id comes within a megabyte of bad rows', async () => {
    let sent = 0;
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      yield fileOf(`record,file_id,${names}`);
      for (; sent < 10_000_000; sent += 1_000) yield fileOf(`,F1,${values},extra`);
    };
    await assert.rejects(
      async () => {
        for await (const _ of csv.read(endless())) assert.fail('an item came before the header');
      },
      (problem) => problem instanceof FileProblem && problem.code === 'file_id_missing',
    );
  });

  test('takes a word only from its own list', async () => {
    const [bad] = clearingsOf(
      await readItems(bank, fileOf(bank_header, 'A1;12;1;constructor;16.07.2026', 'SUMME;1;1;;')),
    );
    assert.equal(bad?.input.clearing_type, 'constructor');
  });

  test('is selected by its name', async () => {
    await assert.rejects(
      readItems(bank, fileOf(bank_header), undefined, { profile: 'other' }),
      /csv has no profile other: bank, default, totals/,
    );
    await assert.rejects(readItems(bank, fileOf(bank_header), undefined, { profile: 'default' }), FileProblem);
  });

  test('is found by the header row that it reads, named or not, after a byte order mark too', async () => {
    const profile = parseCsvProfile(bank_profile);
    const others = csvFormat([profile, parseCsvProfile({ ...bank_profile, name: 'second', dates: 'YYYYMMDD' })]);
    for (const head of [fileOf(bank_header), Buffer.concat([Buffer.from('\ufeff'), fileOf(bank_header)])]) {
      assert.deepEqual(others.findProfile?.(head), profile);
      assert.equal(others.findProfile?.(head, { profile: 'second' })?.name, 'second');
      assert.equal(others.findProfile?.(head, { profile: 'default' }), null);
    }
    // The last column of a long header row is cut off in what both look at.
    const skipping = csvFormat([parseCsvProfile({ ...bank_profile, skips_other_columns: true })]);
    for (const [length, fits] of [
      [4_093, true],
      [4_094, false],
      [4_097, false],
    ] as const) {
      const header = `${'x'.repeat(length - bank_header.length - 1)};${bank_header}`;
      const file = Buffer.concat([Buffer.from('\ufeff'), fileOf(header)]);
      assert.equal(skipping.findProfile?.(file) !== null, fits, `${length} bytes`);
      await assertProblem(skipping, file, fits ? 'truncated: trailer_missing' : 'refused: header_unknown');
    }
  });

  test('replaces one of the product of the same name; two that differ cannot have one name', () => {
    const profile = parseCsvProfile(bank_profile);
    assert.throws(
      () => csvFormat([profile, parseCsvProfile({ ...bank_profile, amounts: 'minor_units' })]),
      new RangeError('two different CSV profiles have the name bank'),
    );
    const repeated = csvFormat([profile, parseCsvProfile(bank_profile)]);
    assert.deepEqual(repeated.profiles, ['bank', 'default', 'totals']);
    assert.deepEqual(repeated.variants, ['default', 'bank', 'totals']);
    const replacing = csvFormat([parseCsvProfile({ ...bank_profile, name: 'default' })]);
    assert.equal(replacing.detect(fileOf(names), null), false);
    assert.deepEqual(replacing.profiles, ['default', 'totals']);
  });
});
