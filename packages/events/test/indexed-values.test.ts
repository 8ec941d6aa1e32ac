import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type EventFilter,
  type FilterName,
  filter_fields,
  indexedValuesOf,
  matches,
  type Payload,
  parseEventFilters,
} from '@tallystick/events';
import { Refusal, Temporal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { indexed_text_max } from '../src/log/filter.ts';

const names = Object.keys(filter_fields) as readonly FilterName[];

function event(payload: Payload, event_type = 'virtualcard.realtime.auths', created_at_ms = 1_704_110_400_123) {
  return { event_type, payload, created_at_ms };
}

/** Returns the single filter of a query. */
function filterOf(name: string, text: string): EventFilter {
  const [filter] = parseEventFilters([[name, text]]);
  assert.ok(filter);
  return filter;
}

test('an authorization event has a value for every filter that its payload supports', () => {
  const payload = {
    id: 12,
    merchant_amount: 1500,
    billing_amount: -20,
    transaction_date_time: '2024-01-01T14:00:00.5+02:00',
    approval_code: 'A1B2C3',
    net_reference_number: 'MCC0123450101',
    card_number: '************4242',
    financial_network_code: 'MCC',
    mcc: '5812',
    mcc_description: 'Eating places',
    merchant_name: 'Café',
    merchant_id: 'M-7',
    decline_reason: 'F',
    rcn_alias: 'Travel',
    rcn_id: 4,
    transaction_type: 'Authorization Advice',
    vcn_id: 17,
    status: 'open',
    merchant_city: 'not a filter',
  };
  assert.deepEqual(indexedValuesOf(event(payload)), {
    'payload.id': '12',
    'payload.merchant_amount': 1500,
    'payload.billing_amount': -20,
    'payload.transaction_date_time': 1_704_110_400_500,
    'payload.approval_code': 'A1B2C3',
    'payload.net_ref_num': 'MCC0123450101',
    'payload.card_number': '************4242',
    'payload.financial_network_code': 'MCC',
    'payload.mcc': '5812',
    'payload.mcc_description': 'Eating places',
    'payload.merchant_name': 'Café',
    'payload.merchant_id': 'M-7',
    'payload.decline_reason': 'F',
    'payload.rcn_alias': 'Travel',
    'payload.rcn_id': 4,
    'payload.transaction_type': 'Authorization Advice',
    'payload.vcn_id': 17,
    'payload.status': 'open',
    event_type: 'virtualcard.realtime.auths',
    created_at: 1_704_110_400_123,
  });
});

test('a field that is absent, of another kind or too long for an index has no value and meets no filter', () => {
  const table: readonly (readonly [FilterName, unknown])[] = [
    ['payload.merchant_amount', undefined],
    ['payload.merchant_amount', null],
    ['payload.merchant_amount', '1500'],
    ['payload.merchant_amount', 1.5],
    ['payload.merchant_amount', 2 ** 53],
    ['payload.transaction_date_time', 1_704_110_400_000],
    ['payload.transaction_date_time', 'yesterday'],
    ['payload.mcc', ''],
    ['payload.mcc', true],
    ['payload.mcc', 58.12],
    ['payload.mcc', { code: '5812' }],
    ['payload.mcc', ['5812']],
    ['payload.mcc', 'a\0b'],
    ['payload.mcc', '\ud800'],
    ['payload.mcc', 'x'.repeat(indexed_text_max + 1)],
  ];
  for (const [name, value] of table) {
    const stored = event({ [filter_fields[name].payload_key!]: value });
    assert.equal(indexedValuesOf(stored)[name], null, `${name} ${String(value)}`);
    assert.equal(matches(stored, { name, kind: 'equals', value: 0 }), false);
    assert.equal(matches(stored, { name, kind: 'range' }), false);
  }
  assert.equal(
    indexedValuesOf(event({ mcc: 'x'.repeat(indexed_text_max) }))['payload.mcc'],
    'x'.repeat(indexed_text_max),
  );
});

test('each filter reads the payload key and the kind of value that its table states', () => {
  const samples = { integer: 3, text: 'three', instant: '1970-01-01T00:00:00.003Z' } as const;
  const expected = { integer: 3, text: 'three', instant: 3 } as const;
  for (const name of names) {
    const { payload_key, type } = filter_fields[name];
    if (payload_key === null) continue;
    for (const [kind, sample] of Object.entries(samples)) {
      const fits = kind === type || (type === 'text' && kind !== 'text');
      const { event_type: _, created_at: __, ...values } = indexedValuesOf(event({ [payload_key]: sample }));
      const value = kind === type ? expected[type] : String(sample);
      assert.deepEqual(
        Object.entries(values).filter(([, found]) => found !== null),
        fits ? [[name, value]] : [],
        `${name} of ${kind}`,
      );
    }
  }
  assert.equal(indexedValuesOf(event({}, 'ach.status', 5)).event_type, 'ach.status');
  assert.equal(indexedValuesOf(event({}, 'ach.status', 5)).created_at, 5);
});

test('an equality meets its value and no other', () => {
  const stored = event({ mcc: '5812', billing_amount: 100, transaction_date_time: '2024-01-01T12:00:00.001Z' });
  assert.equal(matches(stored, filterOf('payload.mcc', '5812')), true);
  assert.equal(matches(stored, filterOf('payload.mcc', '581')), false);
  assert.equal(matches(stored, filterOf('payload.billing_amount', '100')), true);
  assert.equal(matches(stored, filterOf('payload.billing_amount', '101')), false);
  assert.equal(matches(stored, filterOf('payload.transaction_date_time', '2024-01-01T12:00:00.001Z')), true);
  assert.equal(matches(stored, filterOf('payload.transaction_date_time', '2024-01-01T12:00:00Z')), false);
  assert.equal(matches(stored, filterOf('event_type', 'virtualcard.realtime.iccp.all')), true);
  assert.equal(matches(stored, filterOf('event_type', 'virtualcard.created')), false);
});

test('a date meets the first and the last instant of its GMT day, and none outside it', () => {
  const day = filterOf('payload.transaction_date_time', '2024-03-31');
  for (const [instant, expected] of [
    ['2024-03-30T23:59:59.999Z', false],
    ['2024-03-31T00:00:00Z', true],
    ['2024-03-31T01:59:00+02:00', false],
    ['2024-03-31T23:59:59.999Z', true],
    ['2024-03-31', true],
    ['2024-04-01T00:00:00Z', false],
  ] as const) {
    assert.equal(matches(event({ transaction_date_time: instant }), day), expected, instant);
  }
});

test('a range of amounts meets the amounts in it, its ends included', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), fc.integer(), (amount, a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const stored = event({ merchant_amount: amount });
      const meets = (text: string): boolean => matches(stored, filterOf('payload.merchant_amount', text));
      assert.equal(meets(`[${from},${to}]`), from <= amount && amount <= to);
      assert.equal(meets(`[${from},]`), from <= amount);
      assert.equal(meets(`[,${to}]`), amount <= to);
      assert.equal(meets(`[${amount},${amount}]`), true);
    }),
    propertyParameters(),
  );
});

test('text is ordered by its UTF-8 bytes, which is the order of both databases', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }).filter((value) => !/[\0,\s]/.test(value));
  fc.assert(
    fc.property(text, text, text, (value, a, b) => {
      const [from, to] = Buffer.compare(Buffer.from(a), Buffer.from(b)) <= 0 ? [a, b] : [b, a];
      const inside = [from, value, to].map((part) => Buffer.from(part));
      const expected = Buffer.compare(inside[0]!, inside[1]!) <= 0 && Buffer.compare(inside[1]!, inside[2]!) <= 0;
      const stored = event({ net_reference_number: value });
      assert.equal(matches(stored, filterOf('payload.net_ref_num', `[${from},${to}]`)), expected);
    }),
    { ...propertyParameters({ short: 1_000, full: 3_000 }), examples: [['\u{10000}', '\uffff', '\u{10001}']] },
  );
  const refused = (): unknown => filterOf('payload.net_ref_num', '[\u{10000},\uffff]');
  assert.throws(refused, Refusal);
});

test('a filter for the value of an event meets the event', () => {
  const payload = fc.record(
    Object.fromEntries(
      names.flatMap((name) => {
        const { payload_key, type } = filter_fields[name];
        if (payload_key === null) return [];
        const value =
          type === 'integer'
            ? fc.maxSafeInteger()
            : type === 'instant'
              ? fc.integer({ min: 0, max: 4e12 }).map((ms) => Temporal.Instant.fromEpochMilliseconds(ms).toString())
              : fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
        return [[payload_key, fc.oneof(value, fc.jsonValue({ maxDepth: 1 }))]];
      }),
    ),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(payload, (payload) => {
      const stored = event(payload as Payload);
      for (const [name, value] of Object.entries(indexedValuesOf(stored)) as [FilterName, string | number | null][]) {
        if (value === null) continue;
        assert.equal(matches(stored, { name, kind: 'equals', value }), true);
        assert.equal(matches(stored, { name, kind: 'range', from: value, to: value }), true);
      }
    }),
    propertyParameters(),
  );
});
