import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventFilter, type FilterName, filter_fields, parseEventFilters } from '@tallystick/events';
import { Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { indexed_text_max } from '../src/log/filter.ts';

const noon_ms = 1_704_110_400_000;
const day_ms = 86_400_000;
const midnight_ms = noon_ms - day_ms / 2;

function parsed(name: string, text: string): EventFilter | undefined {
  const [filter, ...others] = parseEventFilters([[name, text]]);
  assert.deepEqual(others, []);
  return filter;
}

function refusalOf(...query: readonly (readonly [string, string])[]): Refusal {
  try {
    parseEventFilters(query);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'invalid_query');
    assert.ok(error.message.startsWith(`${error.fields[0]?.path} ${error.fields[0]?.message}`));
    return error;
  }
  return assert.fail(`nothing was refused of ${JSON.stringify(query)}`);
}

test('a value is an equality: integers as numbers, text as it is, instants as milliseconds', () => {
  const table: readonly (readonly [FilterName, string, string | number])[] = [
    ['payload.billing_amount', '1000', 1000],
    ['payload.billing_amount', '-5', -5],
    ['payload.billing_amount', '-0', 0],
    ['payload.rcn_id', '0007', 7],
    ['payload.vcn_id', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['payload.mcc', '5812', '5812'],
    ['payload.id', '17', '17'],
    ['payload.merchant_name', ' Ünïcode & Söhne, [x', ' Ünïcode & Söhne, [x'],
    ['payload.card_number', '************4242', '************4242'],
    ['payload.transaction_date_time', '2024-01-01T12:00:00Z', noon_ms],
    ['payload.transaction_date_time', '2024-01-01T12:00:00.5Z', noon_ms + 500],
    ['payload.transaction_date_time', '2024-01-01T12:00:00.123999999Z', noon_ms + 123],
    ['payload.transaction_date_time', '2024-01-01T14:00:00+02:00', noon_ms],
    ['payload.transaction_date_time', '2024-01-01T06:30-0530', noon_ms],
    ['created_at', '2024-01-01T12:00', noon_ms],
    ['event_type', 'virtualcard.created', 'virtualcard.created'],
    ['event_type', 'virtualcard.realtime.iccp.all', 'virtualcard.realtime.auths'],
    ['event_type', 'ach.$$limit.exceeded', 'ach.$$limit.exceeded'],
  ];
  for (const [name, text, value] of table) assert.deepEqual(parsed(name, text), { name, kind: 'equals', value });
});

test('a range includes both ends, and one of them may be open', () => {
  const name = 'payload.merchant_amount';
  assert.deepEqual(parsed(name, '[100,200]'), { name, kind: 'range', from: 100, to: 200 });
  assert.deepEqual(parsed(name, '[100,]'), { name, kind: 'range', from: 100 });
  assert.deepEqual(parsed(name, '[,200]'), { name, kind: 'range', to: 200 });
  assert.deepEqual(parsed(name, '[ -5 , -5 ]'), { name, kind: 'range', from: -5, to: -5 });
  const text_range = { name: 'payload.net_ref_num', kind: 'range', from: 'MCC', to: 'MCD' };
  assert.deepEqual(parsed('payload.net_ref_num', '[MCC,MCD]'), text_range);
});

test('a date is its whole GMT day: alone, and at either end of a range', () => {
  for (const name of ['payload.transaction_date_time', 'created_at'] as const) {
    const to = midnight_ms + day_ms - 1;
    assert.deepEqual(parsed(name, '2024-01-01'), { name, kind: 'range', from: midnight_ms, to });
    assert.deepEqual(parsed(name, '[2024-01-01,2024-01-01]'), { name, kind: 'range', from: midnight_ms, to });
    assert.deepEqual(parsed(name, '[,2024-01-01]'), { name, kind: 'range', to });
    assert.deepEqual(parsed(name, '[2024-01-01,]'), { name, kind: 'range', from: midnight_ms });
    const mixed = { name, kind: 'range', from: noon_ms, to };
    assert.deepEqual(parsed(name, '[2024-01-01T12:00:00Z,2024-01-01]'), mixed);
  }
});

test('all types is no condition', () => {
  assert.deepEqual(parseEventFilters([['event_type', 'all']]), []);
  assert.deepEqual(parseEventFilters([]), []);
});

test('several filters are kept in their order', () => {
  const query = new Map([
    ['payload.mcc', '5812'],
    ['event_type', 'virtualcard.clearings'],
    ['payload.vcn_id', '3'],
  ]);
  assert.deepEqual(
    parseEventFilters(query).map((filter) => filter.name),
    ['payload.mcc', 'event_type', 'payload.vcn_id'],
  );
});

test('a malformed parameter is refused by its name', () => {
  const refused: readonly (readonly [FilterName, string, RegExp])[] = [
    ['payload.billing_amount', '', /needs a value/],
    ['payload.billing_amount', '10.5', /must be an integer, not "10.5"/],
    ['payload.billing_amount', '1e3', /must be an integer/],
    ['payload.billing_amount', '+1', /must be an integer/],
    ['payload.billing_amount', '9007199254740992', /must be an integer/],
    ['payload.billing_amount', '[,]', /at least one end/],
    ['payload.billing_amount', '[]', /must be a range \[from,to\]/],
    ['payload.billing_amount', '[1]', /must be a range \[from,to\]/],
    ['payload.billing_amount', '[1,2,3]', /must be a range \[from,to\]/],
    ['payload.billing_amount', '[2,1]', /begins after it ends/],
    ['payload.billing_amount', '[a,1]', /must be an integer, not "a"/],
    ['payload.billing_amount', '[1,b]', /must be an integer, not "b"/],
    ['payload.billing_amount', '1,2', /must be an integer/],
    ['payload.net_ref_num', '[b,a]', /begins after it ends/],
    ['payload.transaction_date_time', '[2024-01-02,2024-01-01]', /begins after it ends/],
    ['payload.transaction_date_time', '[2024-01-02,2024-01-01T23:59:59Z]', /begins after it ends/],
    ['payload.transaction_date_time', '2024-02-30', /must be a date/],
    ['payload.transaction_date_time', '2024-1-1', /must be a date/],
    ['payload.transaction_date_time', '2024-01-01T25:00Z', /must be a date/],
    ['payload.transaction_date_time', '2024-01-01T12:00:00Z[Europe/Paris]', /must be a date/],
    ['payload.transaction_date_time', '1704110400', /must be a date/],
    ['created_at', '2024-01-01T12:00:00 02:00', /write the \+ of an offset as %2B/],
    ['payload.mcc', '', /needs a value/],
    ['payload.mcc', '[5811,5812]', /takes one value, not a range/],
    ['payload.merchant_name', 'x'.repeat(indexed_text_max + 1), /at most 255 characters/],
    ['payload.merchant_name', 'a\0b', /not valid text/],
    ['payload.merchant_name', '\udc00', /not valid text/],
    ['event_type', 'virtualcard', /name of an event type, not "virtualcard"/],
    ['event_type', '', /name of an event type/],
    ['event_type', '[a,b]', /takes one value/],
  ];
  for (const [name, text, message] of refused) {
    const refusal = refusalOf([name, text]);
    assert.equal(refusal.fields[0]?.path, name);
    assert.match(refusal.fields[0].message, message, `${name}=${text}`);
  }
});

test('an unknown filter is refused by its name, and the message names the filter that was meant', () => {
  const unknown: readonly (readonly [string, RegExp])[] = [
    ['mcc', /did you mean payload\.mcc\?$/],
    ['payload.net_reference_number', /did you mean payload\.net_ref_num\?$/],
    ['payload.event_type', /did you mean event_type\?$/],
    ['payload.merchant_nmae', /did you mean payload\.merchant_name\?$/],
    ['payload.currency', /these are: payload\.merchant_amount, /],
    ['toString', /these are: /],
    ['', /these are: /],
  ];
  for (const [name, message] of unknown) {
    const [field] = refusalOf([name, '1']).fields;
    assert.equal(field?.path, name);
    assert.match(field.message, message);
  }
});

test('one refusal lists every problem, including a repeated parameter', () => {
  const refusal = refusalOf(
    ['payload.mcc', '5812'],
    ['payload.mcc', '5813'],
    ['colour', 'red'],
    ['payload.vcn_id', 'x'],
  );
  assert.deepEqual(
    refusal.fields.map(({ path }) => path),
    ['payload.mcc', 'colour', 'payload.vcn_id'],
  );
});

test('a whole card number is refused where a masked one belongs, and no message repeats it', () => {
  const digits = '5411234567890000';
  for (const text of [digits, '5411 2345 6789 0000', '5411-2345-6789-0000']) {
    for (const name of Object.keys(filter_fields)) {
      let message = '';
      try {
        parseEventFilters([[name, text]]);
      } catch (error) {
        message = (error as Refusal).message;
      }
      assert.ok(!message.includes(text), `${name}: ${message}`);
    }
  }
  assert.match(refusalOf(['payload.card_number', digits]).message, /must be the masked number/);
});

test('any text is either read or refused', () => {
  const name = fc.oneof(fc.constantFrom(...Object.keys(filter_fields)), fc.string({ unit: 'binary', maxLength: 20 }));
  const end = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.integer().map(String),
    fc.constant('2024-01-01'),
  );
  const text = fc.oneof(
    end,
    fc.tuple(end, end).map(([from, to]) => `[${from},${to}]`),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text), { maxLength: 3 }), (query) => {
      try {
        assert.ok(parseEventFilters(query).length <= query.length);
      } catch (error) {
        assert.ok(error instanceof Refusal && error.fields.length > 0);
      }
    }),
    propertyParameters({ short: 1_000, full: 3_000 }),
  );
});
