import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { ipm } from '../../src/ipm/ipm.ts';
import { assertProblem, badRecordsOf, clearingsOf, endOf, headerOf, readItems } from '../reading.ts';
import { type Elements, file_id, fileOf, pds, presentment } from './file.ts';

/** The clearing that a presentment with other elements is read as. */
async function read(change: Elements = {}, mti = '1240') {
  const items = await readItems(ipm, fileOf([{ mti, elements: { ...presentment, ...change } }]));
  const [clearing] = clearingsOf(items);
  assert.ok(clearing, JSON.stringify(badRecordsOf(items).map(({ code, reason }) => [code, reason])));
  return clearing.input;
}

/** The code of the bad record that a presentment with other elements is read as. */
async function readBad(change: Elements): Promise<string> {
  const [record] = badRecordsOf(await readItems(ipm, fileOf([{ elements: { ...presentment, ...change } }])));
  return record?.code ?? 'none';
}

describe('the header of an IPM file', () => {
  test('has id, series, sequence, day and mode of the file', async () => {
    const items = await readItems(ipm, fileOf([]));
    assert.deepEqual(headerOf(items), {
      kind: 'header',
      ordinal: 1,
      offset: 0,
      file_id,
      series: '00200000012345',
      sequence: 1,
      created_on: '2026-07-16',
      mode: 'production',
    });
    assert.deepEqual(endOf(items), { kind: 'end', records: 2, control_totals: { PDS0306: '2', PDS0301: '0' } });
  });

  test('states a test file', async () => {
    const header = { 24: '697', 48: pds('0105', file_id) + pds('0122', 'T') };
    assert.equal(headerOf(await readItems(ipm, fileOf([], { header }))).mode, 'test');
  });
});

describe('an IPM clearing', () => {
  test('has every element that the service uses', async () => {
    const input = await read({
      6: '000000005678',
      10: '61083400',
      25: '1403',
      26: '5812',
      31: '12712346184000000000041',
      32: '012345',
      38: 'A1B2C3',
      42: 'MERCH          ',
      43: 'BISTRO\\1 MAIN ST\\SAN JOSE\\95113     CA USA',
      48: pds('0148', '84029782') + pds('0158', `${' '.repeat(12)}260717`) + pds('0159', `${'0'.repeat(59)}260718`),
      49: '978',
      51: '840',
      63: ' MCC0AB12C0714  ',
      94: '00000006897',
    });
    assert.deepEqual(input, {
      card_number: '5555440000000006',
      vcn_id: null,
      network_financial_transaction_id: createHash('sha256').update(`${file_id}00000002`).digest('hex'),
      billing_amount: 5678,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2026-07-18',
      partial: true,
      cycle: 'first_presentment',
      merchant_amount: 1234,
      merchant_currency: 'EUR',
      acquirer_reference_data: '12712346184000000000041',
      approval_code: 'A1B2C3',
      net_reference_number: 'MCC0AB12C0714',
      merchant_id: 'MERCH',
      mcc: '5812',
      authorization_date: '2026-07-14',
      acquirer_ica: '00000006897',
      exchange_rate: '1.083400',
      mcc_description: null,
      merchant_name: 'BISTRO',
    });
  });

  const unread: readonly (readonly [field: string, change: Elements])[] = [
    ['exchange_rate', { 10: '6108340X' }],
    ['authorization_date', { 12: '260231000000' }],
    ['authorization_date', { 12: '26 714101112' }],
    ['mcc', { 26: '58 2' }],
    ['net_reference_number', { 63: ' MCC0AB12C071' }],
    ['approval_code', { 38: 'A1-2C3' }],
    ['merchant_name', { 43: 'BISTRO\0\\1 MAIN ST\\SAN JOSE\\95113     CA USA' }],
    ['merchant_amount', { 6: '000000005678', 51: '840', 49: '999' }],
    ['merchant_amount', { 6: '000000005678', 51: '840', 49: '978', 48: pds('0148', '9783') }],
  ];
  for (const [field, change] of unread) {
    test(`is applied without its ${field} when that cannot be read: ${JSON.stringify(change)}`, async () => {
      const items = await readItems(ipm, fileOf([{ elements: { ...presentment, ...change } }]));
      const [clearing] = clearingsOf(items);
      assert.deepEqual([clearing?.input[field as 'mcc'], clearing?.unread], [null, [field]]);
      assert.equal(clearing?.input.billing_amount, change[6] === undefined ? 1_234 : 5_678);
    });
  }

  test('is final when DE25 cannot be read', async () => {
    const [clearing] = clearingsOf(await readItems(ipm, fileOf([{ elements: { ...presentment, 25: '14X3' } }])));
    assert.deepEqual([clearing?.input.partial, clearing?.unread], [false, ['partial']]);
  });

  test('has no date of zeros, and one whose time is blank', async () => {
    assert.equal((await read({ 12: '000000000000' })).authorization_date, null);
    assert.equal((await read({ 12: '260714      ' })).authorization_date, '2026-07-14');
  });

  test('has the decimals of PDS0148, also before blanks, and no billing amount of zeros without a currency', async () => {
    const { merchant_amount, billing_amount } = await read({ 6: '000000000000', 48: pds('0148', '8402  '), 51: '000' });
    assert.deepEqual([merchant_amount, billing_amount], [1_234, 1_234]);
    assert.equal((await read({ 6: '000000000000', 51: '840' })).billing_amount, 0);
  });

  test('is billed in the currency of the merchant when the message has one amount', async () => {
    const { billing_amount, billing_currency, exchange_rate } = await read({ 49: '392' });
    assert.deepEqual([billing_amount, billing_currency, exchange_rate], [1234, 'JPY', '1']);
  });

  test('has an acquirer from DE94, else from DE32', async () => {
    assert.equal((await read({ 32: '012345' })).acquirer_ica, '012345');
    assert.equal((await read({})).acquirer_ica, null);
  });

  test('has no approval code of zeros or blanks', async () => {
    for (const blank of ['000000', '      ']) assert.equal((await read({ 38: blank })).approval_code, null);
  });

  test('settles on the date of PDS0159, else of PDS0158, else of the file', async () => {
    const settled = async (private_data: string) => (await read({ 48: private_data })).settlement_date;
    const business = pds('0158', `${' '.repeat(12)}260717`);
    assert.equal(await settled(business + pds('0159', `${' '.repeat(59)}260718`)), '2026-07-18');
    for (const blank of ['000000', '      ']) {
      assert.equal(await settled(business + pds('0159', ' '.repeat(59) + blank)), '2026-07-17');
    }
    assert.equal(await settled(business + pds('0159', '000000')), '2026-07-17');
    assert.equal(await settled(pds('0158', `${' '.repeat(12)}000000`)), '2026-07-16');
  });

  test('has an exact exchange rate', async () => {
    const rates = { '61083400': '1.083400', '01083400': '1083400', '71083400': '0.1083400', '90000001': '0.000000001' };
    for (const [element, rate] of Object.entries(rates)) {
      assert.equal((await read({ 10: element })).exchange_rate, rate);
    }
  });

  test('has the exchange rate 1 when DE10 has zeros', async () => {
    for (const element of ['00000000', '60000000']) {
      assert.equal((await read({ 10: element })).exchange_rate, '1');
    }
  });

  test('is a credit by DE3, and the other way round when it reverses', async () => {
    const read3 = async (code: string, reversal: string) => {
      const { clearing_type, cycle } = await read({ 3: code, 48: pds('0025', reversal) });
      return [clearing_type, cycle];
    };
    assert.deepEqual(await read3('000000', ' '), ['DEBIT', 'first_presentment']);
    assert.deepEqual(await read3('200000', ' '), ['CREDIT', 'first_presentment']);
    assert.deepEqual(await read3('280000', ' '), ['CREDIT', 'first_presentment']);
    assert.deepEqual(await read3('000000', 'R260715'), ['CREDIT', 'reversal']);
    assert.deepEqual(await read3('200000', 'R260715'), ['DEBIT', 'reversal']);
  });

  test('has its cycle by message type and function code', async () => {
    const cycles = [
      ['1240', '200', 'first_presentment'],
      ['1240', '205', 'second_presentment'],
      ['1240', '282', 'second_presentment'],
      ['1442', '450', 'chargeback'],
      ['1442', '453', 'chargeback'],
    ] as const;
    for (const [mti, function_code, cycle] of cycles)
      assert.equal((await read({ 24: function_code }, mti)).cycle, cycle);
  });

  test('has an amount by the decimals of PDS0148, in minor units', async () => {
    const amount = async (stated: string, digits: string) =>
      (await read({ 4: digits.padStart(12, '0'), 48: pds('0148', stated) })).billing_amount;
    assert.equal(await amount('8402', '1234'), 1234);
    assert.equal(await amount('8403', '12340'), 1234);
    assert.equal(await amount('8400', '12'), 1200);
    assert.equal(await amount('9783', '1234'), 1234);
    assert.equal(await readBad({ 48: pds('0148', '8403') }), 'amount_inexact');
  });

  test('has private data from all elements that continue one another', async () => {
    const [first, second] = [
      pds('0159', `${' '.repeat(59)}260718`).slice(0, 40),
      pds('0159', `${' '.repeat(59)}260718`).slice(40),
    ];
    assert.equal((await read({ 48: first, 62: second })).settlement_date, '2026-07-18');
    assert.equal((await read({ 62: pds('0002', 'X') + first, 125: second })).settlement_date, '2026-07-18');
  });

  test('is read by the bytes of DE55, whatever they are', async () => {
    assert.equal((await read({ 55: '\x00\xff1240\x9f' })).billing_amount, 1234);
  });
});

describe('an IPM message that is no clearing', () => {
  test('is kept and counted by its type, and its amount is in the sum', async () => {
    const elements = { 4: '000000009999', 24: '700', 49: '840' };
    const file = fileOf([
      { mti: '1740', elements },
      { elements: presentment },
      { mti: '1644', elements: { 24: '685' } },
    ]);
    const items = await readItems(ipm, file);
    assert.deepEqual(
      items.map((item) => (item.kind === 'other' ? item.type : item.kind)),
      ['header', '1740/700', 'clearing', '1644/685', 'end'],
    );
    for (const item of items) {
      if (item.kind !== 'other') continue;
      const start = item.offset + 4;
      assert.deepEqual(Buffer.from(item.raw!), file.subarray(start, start + file.readUInt32BE(item.offset)));
    }
    assert.deepEqual(endOf(items).control_totals, { PDS0306: '5', PDS0301: '11233' });
  });
});

describe('a bad IPM record', () => {
  const cases: readonly (readonly [code: string, change: Elements])[] = [
    ['currency_unknown', { 49: '000' }],
    ['currency_unknown', { 49: '999' }],
    ['currency_unknown', { 6: '000000000001', 51: 'XYZ' }],
    ['currency_missing', { 6: '000000000001' }],
    ['amount_missing', { 51: '840' }],
    ['amount_malformed', { 6: '00000000000X', 51: '840' }],
    ['date_invalid', { 48: pds('0159', `${' '.repeat(59)}261301`) }],
    ['card_number_malformed', { 2: '5555440000X00006' }],
    ['card_number_malformed', { 2: '55554400' }],
    ['element_malformed', { 3: '0X0000' }],
    ['element_malformed', { 31: '1'.repeat(24) }],
    ['decimals_malformed', { 48: pds('0148', '840') }],
    ['private_data_malformed', { 48: '0148004840' }],
    ['private_data_malformed', { 48: 'ABCD0018' }],
    ['message_number_malformed', { 71: '0000000X' }],
    ['function_code_malformed', { 24: '2 0' }],
  ];
  for (const [code, change] of cases) {
    test(`${code}: ${JSON.stringify(change)}`, async () => {
      assert.equal(await readBad(change), code);
    });
  }

  test('lacks the card, or the function code', async () => {
    const { 2: _card, ...without_card } = presentment;
    const { 24: _function, ...without_function } = presentment;
    const items = await readItems(ipm, fileOf([{ elements: without_card }, { elements: without_function }]));
    assert.deepEqual(
      badRecordsOf(items).map(({ code }) => code),
      ['card_number_missing', 'function_code_malformed'],
    );
  });

  test('has a damaged bitmap, message type or length of an element', async () => {
    const damaged = (change: (record: Buffer) => Buffer) => ({ elements: presentment, damage: change });
    const items = await readItems(
      ipm,
      fileOf([
        damaged((record) => Buffer.concat([record, Buffer.from('!')])),
        damaged((record) => Buffer.concat([Buffer.from('12X0'), record.subarray(4)])),
        // DE7 has no known length.
        damaged((record) => record.fill(record[4]! | 0x02, 4, 5)),
        // The second half of the bitmap is not announced.
        damaged((record) => record.fill(record[4]! & 0x7f, 4, 5)),
        // The last element is longer than the record.
        damaged((record) => record.subarray(0, -1)),
        // DE127 has no content.
        damaged((record) => record.fill(record[19]! | 0x02, 19, 20)),
      ]),
    );
    assert.deepEqual(
      badRecordsOf(items).map(({ code }) => code),
      [
        'bytes_left_over',
        'mti_malformed',
        'element_unknown',
        'bitmap_malformed',
        'element_malformed',
        'element_malformed',
      ],
    );
  });

  test('is too short for a bitmap', async () => {
    const items = await readItems(ipm, fileOf([{ elements: {}, damage: () => Buffer.from('1240') }]));
    assert.deepEqual(
      badRecordsOf(items).map(({ code }) => code),
      ['record_short'],
    );
  });

  test('keeps its bytes and its place, and contains no number of a card in its reason', async () => {
    const items = await readItems(
      ipm,
      fileOf([{ elements: presentment }, { elements: { ...presentment, 49: '000' } }]),
    );
    const [bad] = badRecordsOf(items);
    const [clearing] = clearingsOf(items);
    assert.deepEqual([clearing?.ordinal, bad?.ordinal], [2, 3]);
    assert.ok(Buffer.from(bad!.raw).includes('5555440000000006'));
    assert.doesNotMatch(bad!.reason, /\d{12}/);
  });

  test('is read again from its bytes, as the clearing that it would have been', async () => {
    const file = fileOf([{ elements: { ...presentment, 49: '000' } }]);
    const [bad] = badRecordsOf(await readItems(ipm, file));
    const corrected = Buffer.from(bad!.raw);
    // DE49, before the eight digits of DE71.
    corrected.write('840', corrected.length - 11);
    const place = { ordinal: bad!.ordinal, offset: bad!.offset, file_id, created_on: '2026-07-16' };
    assert.deepEqual(ipm.readRecord!(bad!.raw, place), bad);
    const [sound] = clearingsOf(await readItems(ipm, fileOf([{ elements: presentment }])));
    assert.deepEqual(ipm.readRecord!(corrected, place), sound);
  });
});

describe('the totals of an IPM file', () => {
  const sound = { elements: presentment };
  const unreadable = { elements: { ...presentment, 4: '00000000123X' } };

  test('do not state a sum by zeros', async () => {
    for (const zeros of ['0000000000000000', '0']) {
      const trailer = { 48: pds('0105', file_id) + pds('0301', zeros) + pds('0306', '4') };
      assert.deepEqual(endOf(await readItems(ipm, fileOf([sound, sound], { trailer }))).control_totals, {
        PDS0306: '4',
      });
    }
  });

  test('are not compared when they are absent or blank', async () => {
    for (const totals of ['', pds('0301', '  ') + pds('0306', '        ')]) {
      const items = await readItems(ipm, fileOf([sound], { trailer: { 48: pds('0105', file_id) + totals } }));
      assert.deepEqual([clearingsOf(items).length, endOf(items).control_totals], [1, {}]);
    }
  });

  test('without a sum, one DE4 that cannot be read is one bad record', async () => {
    const trailer = { 48: pds('0105', file_id) + pds('0301', '0') + pds('0306', '4') };
    const items = await readItems(ipm, fileOf([unreadable, sound], { trailer }));
    assert.deepEqual([badRecordsOf(items)[0]?.code, clearingsOf(items).length], ['amount_malformed', 1]);
  });
});

describe('an IPM file is refused', () => {
  const sound = { elements: presentment };

  test('without a header or a trailer', async () => {
    await assertProblem(ipm, fileOf([sound], { header: null }), 'refused: header_missing');
    await assertProblem(ipm, fileOf([sound], { trailer: null }), 'refused: trailer_missing');
  });

  test('with a second header, or records after the trailer', async () => {
    const header = { mti: '1644', elements: { 24: '697', 48: pds('0105', file_id) } };
    const trailer = {
      mti: '1644',
      elements: { 24: '695', 48: pds('0105', file_id) + pds('0301', '0') + pds('0306', '2') },
    };
    await assertProblem(ipm, fileOf([header]), 'refused: header_repeated');
    await assertProblem(ipm, fileOf([trailer]), 'refused: record_after_trailer');
  });

  test('with another sum or count than its trailer states', async () => {
    const by_sum = await assertProblem(ipm, fileOf([sound, sound], { sum: 2467 }), 'refused: sum_differs');
    assert.equal(by_sum.message, 'PDS0301 of the trailer is 2467, but the records make 2468, a difference of 1');
    const by_count = await assertProblem(ipm, fileOf([sound], { count: 4 }), 'refused: count_differs');
    assert.equal(by_count.message, 'PDS0306 of the trailer is 4, but the records make 3, a difference of 1');
  });

  test('with different ids in header and trailer', async () => {
    const header = { 48: pds('0105', file_id.replace('2345', '2346')) };
    await assertProblem(ipm, fileOf([sound], { header }), 'refused: file_ids_differ');
  });

  test('with a header or trailer that cannot be read', async () => {
    await assertProblem(ipm, fileOf([sound], { header: { 48: pds('0105', '123') } }), 'refused: header_malformed');
    await assertProblem(ipm, fileOf([sound], { header: { 48: '0105' } }), 'refused: header_malformed');
    const totals = (tag: string) => ({ trailer: { 48: pds('0105', file_id) + pds(tag, '12X') } });
    await assertProblem(ipm, fileOf([sound], totals('0301')), 'refused: trailer_malformed');
    await assertProblem(ipm, fileOf([sound], totals('0306')), 'refused: trailer_malformed');
  });

  test('with a gap in the message numbers', async () => {
    const problem = await assertProblem(
      ipm,
      fileOf([sound, { elements: { ...presentment, 71: '00000004' } }]),
      'refused: message_number_gap',
    );
    assert.match(problem.message, /record 3 at offset \d+ has the message number 4/);
  });

  test('with an amount that cannot be read, by the record', async () => {
    const unreadable = { elements: { ...presentment, 4: '00000000123X' } };
    const problem = await assertProblem(ipm, fileOf([sound, unreadable]), 'refused: amount_unreadable');
    assert.match(problem.message, /^DE4 of record 3 at offset \d+ cannot be read/);
  });

  test('but a bad record still counts to the totals', async () => {
    const items = await readItems(ipm, fileOf([sound, { elements: { ...presentment, 49: '000' } }]));
    assert.deepEqual(endOf(items).control_totals, { PDS0306: '4', PDS0301: '2468' });
  });
});
