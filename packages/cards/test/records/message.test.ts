import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import {
  type AuthorizationInput,
  type ClearingInput,
  normalizeAuthorization,
  normalizeClearing,
} from '../../src/index.ts';
import { ms, namesField, numberOf, vault } from '../network-world.ts';

const input: AuthorizationInput = {
  card_number: numberOf(1),
  message_type_indicator: 'Authorization Request',
  billing_amount: 1_000,
  billing_currency: 'USD',
  merchant_amount: 900,
  merchant_currency: 'EUR',
  mcc: '5812',
  trace_id: 'T',
  system_trace_audit_number: '000001',
  transaction_date_time: '2026-11-21T12:00:00+01:00',
};

const clearing_input: ClearingInput = {
  card_number: numberOf(1),
  network_financial_transaction_id: 'F',
  billing_amount: 1_000,
  billing_currency: 'USD',
  clearing_type: 'DEBIT',
  settlement_date: '2026-11-23',
};

const read = (more: object) => normalizeAuthorization({ ...input, ...more }, vault, 'r-1');
const readClearing = (more: object) => normalizeClearing({ ...clearing_input, ...more }, vault, null);

describe('an authorization message', () => {
  test('is read into the terms of the service', () => {
    const message = read({ merchant_name: 'Café', cvc: '123', expiry: '2028-11', merchant_id: '' });
    assert.equal(message.message_type, '0100');
    assert.equal(message.transaction_date_time_ms, ms('2026-11-21T11:00:00Z'));
    assert.deepEqual(message.number_index, vault.index(message.pan));
    assert.deepEqual([message.incremental, message.replacement_amounts, message.response_code], [false, null, null]);
    assert.deepEqual([message.merchant_id, message.request_id], [null, 'r-1']);
    assert.deepEqual(message.details, { merchant_name: 'Café' });
  });

  for (const [name, digits] of [
    ['Authorization Request', '0100'],
    ['Authorization Advice', '0120'],
    ['Reversal Request', '0400'],
    ['Reversal Advice', '0420'],
  ] as const) {
    test(`is a ${name} by its name and by ${digits}`, () => {
      assert.equal(read({ message_type_indicator: name }).message_type, digits);
      assert.equal(read({ message_type_indicator: digits }).message_type, digits);
    });
  }

  test('stores neither the number nor the code', () => {
    const { details, pan } = read({ cvc: '987' });
    assert.equal(JSON.stringify({ details, pan }).includes('"987"'), false);
    assert.equal(JSON.stringify({ details, pan }).includes(numberOf(1)), false);
  });

  test('masks its card number and any other that passes the Luhn check in free text', () => {
    const merchantNameOf = (merchant_name: string) => read({ merchant_name }).details.merchant_name;
    assert.equal(merchantNameOf(`Paper ${numberOf(1)}!`), 'Paper ************0001!');
    assert.equal(merchantNameOf(`1${numberOf(1)}2`), '1************00012');
    assert.equal(
      merchantNameOf('Ink 5454545400000000 and 4111-1111-1111-1111'),
      'Ink ************0000 and ************1111',
    );
    assert.equal(merchantNameOf('Ink 5454545400000003'), 'Ink 5454545400000003');
    assert.equal(merchantNameOf('Order 4012888888'), 'Order 4012888888');
    assert.equal(
      readClearing({ card_number: null, vcn_id: 1, merchant_name: 'Ink 4111111111111111' }).details.merchant_name,
      'Ink ************1111',
    );
  });

  test('takes replacement amounts only from a reversal, and none when all are zero', () => {
    const replacement_amounts = { billing_amount: 300, transaction_amount: null };
    const reversal = { message_type_indicator: '0400' };
    const expected = { billing_amount: 300, settlement_amount: null, transaction_amount: null };
    assert.deepEqual(read({ ...reversal, replacement_amounts }).replacement_amounts, expected);
    assert.deepEqual(read({ ...reversal, replacement_amounts }).details.replacement_amounts, expected);
    assert.equal(read({ ...reversal, replacement_amounts: { billing_amount: 0 } }).replacement_amounts, null);
    assert.equal(read({ replacement_amounts }).replacement_amounts, null);
  });

  const names = ['billing_amount', 'settlement_amount', 'transaction_amount'] as const;
  for (const name of names) {
    const reversal = { message_type_indicator: '0400' };
    const flat = `replacement_amounts.${name}`;

    test(`may have the replacement ${name} in addition to the object, or instead of it`, () => {
      const expected = { billing_amount: null, settlement_amount: null, transaction_amount: null, [name]: 300 };
      for (const replacement_amounts of [undefined, null, {}, { [name]: null }, { [name]: 300 }]) {
        const message = read({ ...reversal, replacement_amounts, [flat]: 300 });
        assert.deepEqual(message.replacement_amounts, expected);
        assert.deepEqual(message.details.replacement_amounts, expected);
      }
      assert.deepEqual(
        read({ ...reversal, replacement_amounts: { [name]: 300 }, [flat]: null }).replacement_amounts,
        expected,
      );
      assert.equal(read({ ...reversal, [flat]: 0 }).replacement_amounts, null);
      assert.equal(read({ [flat]: 300 }).replacement_amounts, null);
    });

    test(`is refused with two replacements of the ${name} that differ, or with one that is not an amount`, () => {
      for (const [own, inner] of [
        [300, 301],
        [0, 300],
        [300, 0],
        [-1, null],
        ['300', null],
        [300, 1.5],
      ]) {
        const sent = { ...reversal, replacement_amounts: { [name]: inner }, [flat]: own };
        assert.throws(() => read(sent), namesField(flat), JSON.stringify(sent));
      }
    });
  }

  test('takes the replacement amounts from both places together', () => {
    const sent = {
      message_type_indicator: '0400',
      replacement_amounts: { billing_amount: 300 },
      'replacement_amounts.transaction_amount': 270,
    };
    const expected = { billing_amount: 300, settlement_amount: null, transaction_amount: 270 };
    assert.deepEqual(read(sent).replacement_amounts, expected);
  });

  test('is incremental only when it requests an amount', () => {
    assert.equal(read({ incremental: true }).incremental, true);
    assert.equal(read({ incremental: true, message_type_indicator: '0400' }).incremental, false);
  });

  test('has no approval code when it is blank, zeros or cut', () => {
    for (const approval_code of ['', '      ', '000000', 'A1B2C', '1', null])
      assert.equal(read({ approval_code }).approval_code, null);
    assert.equal(read({ approval_code: 'A1B2C3' }).approval_code, 'A1B2C3');
  });

  const wrong: readonly [string, unknown][] = [
    ['card_number', '12345678901'],
    ['card_number', '5500 0000 0000 0001'],
    ['card_number', null],
    ['card_number', 5500000000000001],
    ['card_number', ['5500000000000001']],
    ['card_number', { number: '5500000000000001' }],
    ['card_number', true],
    ['cvc', '12'],
    ['cvc', 'abc'],
    ['expiry', '2028-13'],
    ['message_type_indicator', '0800'],
    ['billing_amount', -1],
    ['billing_amount', 1.5],
    ['billing_amount', 1_000_000_000_001],
    ['billing_amount', null],
    ['merchant_amount', '900'],
    ['billing_currency', 'usd'],
    ['mcc', '581'],
    ['trace_id', ''],
    ['trace_id', 'T\u0000'],
    ['trace_id', 'T\ud800'],
    ['trace_id', 'T'.repeat(256)],
    ['transaction_date_time', '2026-11-21T12:00:00'],
    ['transaction_date_time', '2026-02-30T12:00:00Z'],
    ['transaction_date_time', '1969-12-31T23:59:59Z'],
    ['response_code', '000'],
    ['approval_code', 'A1B2C3D'],
    ['merchant_name', 'a\0b'],
    ['merchant_name', 'a\ud83d'],
    ['trace_id', '\udc00'],
    ['net_reference_number', '\u{1F4B3}'.repeat(256)],
    ['replacement_amounts', 300],
  ];
  test('may have any other character, and 255 characters outside the BMP', () => {
    for (const text of ['a\nb', '\u0001\u007f\u0085', 'e\u0301', '\u{FFFD}', '\u{1F4B3}'.repeat(255)]) {
      const { net_reference_number, details } = read({ net_reference_number: text, merchant_name: text });
      assert.deepEqual([net_reference_number, details.merchant_name], [text, text]);
    }
  });

  for (const [path, value] of wrong) {
    test(`is refused with ${path} ${JSON.stringify(value)}`, () => {
      assert.throws(() => read({ [path]: value }), namesField(path));
    });
  }

  for (const path of Object.keys(input)) {
    test(`is refused without ${path}`, () => {
      assert.throws(() => read({ [path]: undefined }), namesField(path));
    });
  }

  test('is refused with every invalid field named, and no secret repeated', () => {
    const bad = {
      card_number: '5500000000000001x',
      cvc: '98765',
      mcc: 'x',
      replacement_amounts: { billing_amount: -1 },
    };
    assert.throws(
      () => read(bad),
      (error: unknown) => {
        assert.ok(error instanceof Refusal);
        const paths = error.fields.map(({ path }) => path).sort();
        assert.deepEqual(paths, ['card_number', 'cvc', 'mcc', 'replacement_amounts.billing_amount']);
        const text = JSON.stringify([error.message, error.fields]);
        return !text.includes('5500000000000001') && !text.includes('98765');
      },
    );
  });

  test('may have the largest amount', () => {
    assert.equal(read({ billing_amount: 1_000_000_000_000 }).billing_amount, 1_000_000_000_000);
  });
});

describe('a clearing', () => {
  test('names its card by its number or by its id', () => {
    assert.deepEqual(readClearing({}).number_index, new TextEncoder().encode(numberOf(1)));
    assert.equal(readClearing({}).vcn_id, null);
    const by_id = readClearing({ card_number: null, vcn_id: '17' });
    assert.deepEqual([by_id.vcn_id, by_id.number_index], [17, null]);
    const masked = readClearing({ card_number: '************0001', vcn_id: 17 });
    assert.deepEqual([masked.vcn_id, masked.number_index], [17, null]);
  });

  test('is a final first presentment unless it says otherwise', () => {
    const { cycle, partial } = readClearing({});
    assert.deepEqual([cycle, partial], ['first_presentment', false]);
    assert.equal(readClearing({ cycle: 'chargeback' }).cycle, 'chargeback');
  });

  test('takes the date from a date and time', () => {
    assert.equal(readClearing({ settlement_date: '2026-11-23T00:00:00.000Z' }).settlement_date, '2026-11-23');
    assert.equal(readClearing({ authorization_date: '2026-11-20' }).authorization_date, '2026-11-20');
  });

  const wrong: readonly [string, object][] = [
    ['card_number', { card_number: null }],
    ['vcn_id', { vcn_id: 17 }],
    ['card_number', { card_number: '************0001' }],
    ['card_number', { card_number: 5500000000000001 }],
    ['card_number', { card_number: 5500000000000001, vcn_id: 17 }],
    ['card_number', { card_number: ['************0001'], vcn_id: 17 }],
    ['card_number', { card_number: { toString: 1 }, vcn_id: 17 }],
    ['card_number', { card_number: false, vcn_id: 17 }],
    ['vcn_id', { card_number: null, vcn_id: 'x' }],
    ['network_financial_transaction_id', { network_financial_transaction_id: '' }],
    ['clearing_type', { clearing_type: 'debit' }],
    ['cycle', { cycle: 'third_presentment' }],
    ['settlement_date', { settlement_date: '2026-02-30' }],
    ['settlement_date', { settlement_date: '0000-11-23' }],
    ['settlement_date', { settlement_date: '23.11.2026' }],
    ['billing_amount', { billing_amount: -1 }],
    ['merchant_currency', { merchant_amount: 900 }],
    ['merchant_amount', { merchant_currency: 'EUR' }],
    ['partial', { partial: 'yes' }],
  ];
  for (const [path, more] of wrong) {
    test(`is refused with ${JSON.stringify(more)}`, () => assert.throws(() => readClearing(more), namesField(path)));
  }

  for (const path of Object.keys(clearing_input)) {
    test(`is refused without ${path}`, () => {
      assert.throws(() => readClearing({ [path]: null }), namesField(path));
    });
  }
});
