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

  test('may state no transaction id', async () => {
    const [clearing] = clearingsOf(
      await readItems(csv, fileOf(names, rowOf({ network_financial_transaction_id: '' }))),
    );
    assert.deepEqual([clearing?.input.network_financial_transaction_id, clearing?.synthetic_id], [null, false]);
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

describe('a CSV file as banks and spreadsheets write it', () => {
  const columns = `${names},merchant_name,acquirer_reference_data`;
  const row = (change: Readonly<Record<string, string>> = {}, more = 'SHOP,12712346184000000000041') =>
    `${rowOf(change)},${more}`;
  const only = async (bytes: Buffer, format = csv, lengths: readonly number[] = [1_000]) => {
    const items = await readItems(format, bytes, lengths);
    assert.deepEqual(badRecordsOf(items), []);
    return clearingsOf(items);
  };

  test('has rows of empty cells, and empty lines, which are skipped and not counted', async () => {
    const blank = ',,,,,,,';
    const bytes = fileOf(
      '',
      columns,
      row(),
      blank,
      '',
      ' , ,,,,,,',
      row({ network_financial_transaction_id: 'T2' }),
      blank,
    );
    const items = await readItems(csv, bytes, [3]);
    assert.deepEqual(
      clearingsOf(items).map(({ ordinal, offset }) => [ordinal, offset]),
      [
        [2, bytes.indexOf('T1,')],
        [3, bytes.indexOf('T2,')],
      ],
    );
    assert.equal(endOf(items).records, 3);
    const totals = fileOf(`record,file_id,${names}`, ',,,,,,,', `,F1,${values}`, 'trailer,F1,1,,1234,,,', ',,,,,,,');
    assert.equal((await only(totals)).length, 1);
  });

  for (const [name, delimiter] of Object.entries({ semicolons: ';', tabs: '\t', bars: '|' })) {
    test(`has ${name} between its cells, with or without a row that says so`, async () => {
      const text = fileOf(columns, row()).toString().replaceAll(',', delimiter);
      for (const first of ['', `sep=${delimiter}\r\n`, `"sep=${delimiter}"\n`, `SEP=${delimiter}${delimiter}\n`]) {
        const bytes = Buffer.from(first + text);
        assert.equal(csv.detect(bytes, null), true, JSON.stringify(first));
        const [clearing] = await only(bytes);
        assert.deepEqual([clearing?.input.merchant_name, clearing?.offset], ['SHOP', bytes.indexOf('T1')]);
      }
    });
  }

  test('is in UTF-8, UTF-16 or Windows-1252, with or without a byte order mark', async () => {
    const text = fileOf(columns, row({}, 'Zo\u00eb,')).toString();
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
    const encoded = [text, `\ufeff${text}`].map((one) => Buffer.from(one));
    for (const bytes of [...encoded, Buffer.from(text, 'latin1'), wide, Buffer.from(wide).swap16(), wide.subarray(2)]) {
      assert.equal(csv.detect(bytes.subarray(0, 4_096), null), true);
      for (const length of [1, 1_000])
        assert.equal((await only(bytes, csv, [length]))[0]?.input.merchant_name, 'Zo\u00eb');
    }
    const replaced = fileOf(columns, row({}, 'Zo\ufffd,'));
    assert.equal(
      (await only(replaced))[0]?.input.merchant_name,
      'Zo\ufffd',
      'the replacement character is a character',
    );
  });

  test('has names of columns in another case, with blanks, underscores or quotes, and columns without a name', async () => {
    const headers = [
      columns.toUpperCase(),
      columns.replaceAll(',', ' , '),
      columns
        .replaceAll('_', ' ')
        .replaceAll(',', ',"')
        .replaceAll(/(?<=,"[^,]*)(?=,|$)/g, '"'),
      `${columns},,`,
    ];
    for (const header of headers) {
      const [clearing] = await only(fileOf(header, `${row()},,`));
      assert.equal(clearing?.input.merchant_name, 'SHOP', header);
    }
    assert.equal((await only(fileOf(`${columns},`, row()))).length, 1, 'rows without the last comma');
  });

  test('prefers the column of the exact name to one that is alike', async () => {
    const profile = parseCsvProfile({
      ...bank_profile,
      trailer: undefined,
      columns: { ...bank_profile.columns, datum: 'merchant_name' },
    });
    const format = csvFormat([profile]);
    const [clearing] = await only(fileOf('datum;Ref;Karte;Betrag;Art;Datum', 'SHOP;A1;12;1;S;16.07.2026'), format);
    assert.deepEqual([clearing?.input.merchant_name, clearing?.input.settlement_date], ['SHOP', '2026-07-16']);
    const skipping = csvFormat([parseCsvProfile({ ...bank_profile, skips_other_columns: true })]);
    for (const one of [csvFormat([parseCsvProfile(bank_profile)]), skipping]) {
      const problem = await assertProblem(one, fileOf(`${bank_header};DATUM`), 'refused: header_unknown');
      assert.match(problem.message, /bank: a column is there twice/);
    }
  });

  test('has rows that end in CR alone, and line breaks within quotes', async () => {
    const bytes = fileOf(columns, row({}, '"SHOP\r\nNORTH",'), row({ network_financial_transaction_id: 'T2' }));
    const plain = Buffer.from(fileOf(columns, row(), row()).toString().replaceAll('\n', '\r'));
    for (const length of [1, 1_000]) {
      const [quoted, second] = await only(bytes, csv, [length]);
      assert.deepEqual([quoted?.input.merchant_name, second?.ordinal], ['SHOP\r\nNORTH', 3]);
      assert.equal((await only(plain, csv, [length])).length, 2);
    }
    const bad = Buffer.from(plain.toString().replace('USD', 'ZZZ'));
    const [record] = badRecordsOf(await readItems(csv, bad));
    const place = { ordinal: 2, offset: record!.offset, file_id: null, created_on: null };
    assert.deepEqual(csv.readRecord!(record!.raw, place), record);
  });

  test('has blanks around values, numbers of currencies, and words in any case', async () => {
    const change = { billing_amount: ' 1234 ', billing_currency: ' usd', clearing_type: 'Debit ' };
    const [clearing] = await only(fileOf(columns, row({ ...change, settlement_date: ' 2026-7-16 00:00:00' })));
    const { billing_amount, billing_currency, clearing_type, settlement_date } = clearing!.input;
    assert.deepEqual(
      [billing_amount, billing_currency, clearing_type, settlement_date],
      [1_234, 'USD', 'DEBIT', '2026-07-16'],
    );
    const [australian] = await only(fileOf(columns, row({ billing_currency: '36' })));
    assert.equal(australian?.input.billing_currency, 'AUD');
  });

  test('has a decimal comma where the profile has a point, unless it could separate thousands', async () => {
    const profile = parseCsvProfile({ ...bank_profile, decimal_separator: '.', trailer: undefined });
    const format = csvFormat([profile]);
    const amountOf = async (text: string) => {
      const items = await readItems(format, fileOf(bank_header, `A1;12;${text};S;16.07.2026`));
      return clearingsOf(items)[0]?.input.billing_amount ?? badRecordsOf(items)[0]?.code;
    };
    for (const text of ['12.5', '12,5', '12,50', '12.500']) assert.equal(await amountOf(text), 1_250, text);
    assert.equal(await amountOf('.5'), 50);
    for (const text of ['12,500', '1,234,50', '1.234,50', ',', '-1'])
      assert.equal(await amountOf(text), 'amount_malformed');
  });

  test('has blanks within the 13 characters of a network reference, which are part of it', async () => {
    for (const [stated, read] of [
      ['   001EEF    ', '   001EEF    '],
      [' 001EEF ', '001EEF'],
      ['             ', null],
    ]) {
      const [clearing] = await only(fileOf(`${names},net_reference_number`, `${values},${stated}`));
      assert.equal(clearing?.input.net_reference_number, read);
    }
  });

  test('passes ids on as they are stated, and has none for an empty one', async () => {
    for (const id of ['5.55E+17', '000000', 'T1']) {
      const [clearing] = await only(fileOf(columns, row({ network_financial_transaction_id: id })));
      assert.deepEqual([clearing?.input.network_financial_transaction_id, clearing?.synthetic_id], [id, false]);
    }
    const [without] = await only(fileOf(columns, row({ network_financial_transaction_id: '' })));
    assert.deepEqual([without?.input.network_financial_transaction_id, without?.synthetic_id], [null, false]);
  });

  const more = [
    'merchant_amount',
    'merchant_currency',
    'exchange_rate',
    'authorization_date',
    'mcc',
    'approval_code',
    'partial',
  ];
  const additions: readonly (readonly [field: string, cells: Readonly<Record<string, string>>])[] = [
    ['merchant_amount', { merchant_amount: '12.5', merchant_currency: 'EUR' }],
    ['merchant_amount', { merchant_amount: '12', merchant_currency: '' }],
    ['merchant_amount', { merchant_amount: '12', merchant_currency: 'XXX' }],
    ['exchange_rate', { exchange_rate: '1.08 EUR' }],
    ['authorization_date', { authorization_date: '14/07/2026' }],
    ['mcc', { mcc: 'FOOD' }],
    ['approval_code', { approval_code: '1.2E+15' }],
    ['partial', { partial: 'perhaps' }],
  ];
  for (const [field, cells] of additions) {
    test(`has a ${field} that cannot be read, ${JSON.stringify(cells)}, and is applied without it`, async () => {
      const [clearing] = await only(fileOf(`${names},${more}`, `${values},${more.map((name) => cells[name] ?? '')}`));
      assert.deepEqual([clearing?.input[field as 'mcc'], clearing?.unread], [null, [field]]);
    });
  }

  test('has references that a spreadsheet has rounded, which are left out, and flags and categories that it has changed', async () => {
    const [clearing] = await only(fileOf(`${columns},mcc,partial`, `${row({}, 'SHOP,5.55E+22')},742,TRUE`));
    const { acquirer_reference_data, mcc, partial } = clearing!.input;
    assert.deepEqual([acquirer_reference_data, clearing?.unread], [null, ['acquirer_reference_data']]);
    assert.deepEqual([mcc, partial], ['0742', true]);
  });

  test('names the card by its id, whatever stands in the place of its number', async () => {
    for (const [card_number, last4, unread] of [
      ['************0006', '0006', undefined],
      ['5555 44XX XXXX 0006', '0006', undefined],
      ['555544XXXXXXXXXX', null, undefined],
      ['5.55544E+15', null, ['card_number']],
    ] as const) {
      const [clearing] = await only(fileOf(`${columns},vcn_id`, `${row({ card_number })},7`));
      assert.deepEqual([clearing?.input.card_number, clearing?.last4, clearing?.unread], [null, last4, unread]);
    }
    assert.equal(
      (await only(fileOf(columns, row({ card_number: '5555-4400-0000-0006' }))))[0]?.input.card_number,
      '5555440000000006',
    );
  });
});

describe('a bad CSV record', () => {
  const cases: readonly (readonly [code: string, change: Readonly<Record<string, string>>])[] = [
    ['amount_malformed', { billing_amount: '12.34' }],
    ['amount_malformed', { billing_amount: '-1' }],
    ['amount_malformed', { billing_amount: '1 000' }],
    ['amount_inexact', { billing_amount: '1000000000001' }],
    ['currency_unknown', { billing_currency: 'XXX' }],
    ['currency_unknown', { billing_currency: '1000' }],
    ['direction_missing', { clearing_type: ' ' }],
    ['date_invalid', { settlement_date: '2026-02-30' }],
    ['date_invalid', { settlement_date: '0000-07-16' }],
    ['date_invalid', { settlement_date: '16.07.2026' }],
    ['field_missing', { settlement_date: '' }],
    ['card_number_malformed', { card_number: '555544000000000X' }],
    ['card_missing', { card_number: '' }],
    ['card_missing', { card_number: '555544******0006' }],
    ['columns_differ', { settlement_date: '2026-07-16,x' }],
    ['columns_differ', { clearing_type: 'DEBIT\n' }],
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

  test('makes no id of identifying columns that name nothing', async () => {
    const refs_only = csvFormat([parseCsvProfile({ ...bank_profile, id_columns: ['Ref'] })]);
    const rows = ['5,55E+17;12;1;S;16.07.2026', '000;12;2;S;16.07.2026', ';12;3;S;16.07.2026'];
    const items = await readItems(refs_only, fileOf(bank_header, ...rows, 'SUMME;3;6;;'));
    assert.deepEqual(
      clearingsOf(items).map(({ input, synthetic_id }) => [input.network_financial_transaction_id, synthetic_id]),
      rows.map(() => [null, false]),
    );
  });

  test('has a strict trailer', async () => {
    const row = 'A1;12;1234,5;S;16.07.2026';
    await assertProblem(bank, fileOf(bank_header, row), 'truncated: trailer_missing');
    await assertProblem(bank, fileOf(bank_header, row, 'SUMME;2;1234,5;;'), 'refused: count_differs');
    const other_sum = await assertProblem(bank, fileOf(bank_header, row, 'SUMME;1;1234,51;;'), 'refused: sum_differs');
    assert.match(other_sum.message, /states a sum of 1234,51, but the records make 1234,5, a difference of 0,01$/);
    const misplaced = fileOf(bank_header, 'A1;12;5555440000000006;S;16.07.2026', 'SUMME;1;1,00;;');
    const hidden = await assertProblem(bank, misplaced, 'refused: sum_differs');
    assert.match(hidden.message, /records make \(many digits\)$/, 'a card number in the column of amounts');
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
    assert.equal(bad?.input.clearing_type, 'CONSTRUCTOR');
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
    assert.deepEqual(repeated.variants, ['default', 'bank', 'totals', 'excel']);
    const replacing = csvFormat([parseCsvProfile({ ...bank_profile, name: 'default' })]);
    assert.equal(replacing.detect(fileOf(names), null), false);
    assert.deepEqual(replacing.profiles, ['default', 'totals']);
  });
});
