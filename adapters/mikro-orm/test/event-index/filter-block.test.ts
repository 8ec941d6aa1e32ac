import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EventFilter, indexedValuesOf, matches } from '@tallystick/events';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  addEntries,
  addMatches,
  beginsAfter,
  hasMatch,
  type KeyedOffsets,
  start_bytes,
  toBlocks,
} from '../../src/event-index/filter-block.ts';
import { bytesOf, companyPrefix, keyRangeOf, valueKey } from '../../src/event-index/filter-key.ts';
import { type FilterValues, indexField, mergeField } from '../../src/event-index/index-range.ts';

const integer = fc.oneof(fc.integer({ min: -3, max: 300 }), fc.maxSafeInteger());
const text = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }), fc.constantFrom('a', '\ufffd', '𝄞'));
const company = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));

describe('keys of the filter index', () => {
  it('are in the range of a filter exactly when the value meets it', () => {
    const bounded = <Value extends string | number>(name: EventFilter['name'], value: fc.Arbitrary<Value>) =>
      fc.record({
        name: fc.constant(name),
        value: value as fc.Arbitrary<string | number>,
        ends: fc.record({ from: value, to: value }, { requiredKeys: [] }),
      });
    const drawn = fc.oneof(bounded('payload.billing_amount', integer), bounded('payload.net_ref_num', text));
    const property = fc.property(company, drawn, (company_id, { name, value, ends }) => {
      const payload = { billing_amount: value, net_reference_number: value };
      const event = { event_type: 'x', created_at_ms: 0, payload };
      const indexed = indexedValuesOf(event)[name];
      fc.pre(indexed !== null);
      const key = bytesOf(companyPrefix(company_id) + valueKey(indexed));
      for (const filter of [
        { name, kind: 'range', ...ends },
        { name, kind: 'equals', value },
      ] as const) {
        const { from, to } = keyRangeOf(company_id, filter);
        const is_within = Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) <= 0;
        assert.equal(is_within, matches(event, filter));
      }
    });
    fc.assert(property, propertyParameters({ short: 500, full: 1_500 }));
  });

  it('keep the values of companies apart, whatever the filter', () => {
    const property = fc.property(company, company, integer, (mine, other, value) => {
      fc.pre(mine !== other);
      const { from, to } = keyRangeOf(mine, { name: 'payload.billing_amount', kind: 'range' });
      const key = bytesOf(companyPrefix(other) + valueKey(value));
      assert(Buffer.compare(key, from) < 0 || Buffer.compare(key, to) > 0);
    });
    fc.assert(property, propertyParameters({ short: 500, full: 1_500 }));
  });
});

describe('blocks of the filter index', () => {
  const field = { field: 1, column: 'billing_amount' };
  const segment_size = 32;
  const values = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.option(fc.integer({ min: -2, max: 40 }))), {
    minLength: 1,
    maxLength: 4 * segment_size,
  });

  function eventsOf(drawn: readonly (readonly [number, number | null])[], from_id: number): FilterValues[] {
    return drawn.map(([company_id, value], at) => [from_id + at, company_id, value]);
  }

  it('return exactly the events of the company whose value is in the range, in segments and merged', () => {
    const bounds = fc.tuple(fc.integer({ min: -3, max: 41 }), fc.integer({ min: -3, max: 41 }));
    const property = fc.property(values, bounds, (drawn, [from, to]) => {
      const events = eventsOf(drawn, 128);
      const segments = [0, 1, 2, 3].flatMap((at) => {
        const range = { from_id: 128 + at * segment_size, range_size: segment_size };
        const within = events.filter(([id]) => id >= range.from_id && id < range.from_id + segment_size);
        return indexField(range, field, within, 0).map((block) => ({ ...block, from_id: range.from_id }));
      });
      const volume = mergeField({ from_id: 128, range_size: 128 }, field, segments);
      for (const company_id of [1, 2, 3]) {
        const keys = keyRangeOf(company_id, { name: 'payload.billing_amount', kind: 'range', from, to });
        const expected = events.flatMap(([id, of, value]) =>
          of === company_id && value !== null && Number(value) >= from && Number(value) <= to ? [id] : [],
        );
        const [by_segments, by_volume]: [number[], number[]] = [[], []];
        for (const { entries, from_id } of segments) addMatches(entries, from_id, keys, by_segments);
        for (const { entries } of volume) addMatches(entries, 128, keys, by_volume);
        const ascending = (ids: number[]) => ids.toSorted((a, b) => a - b);
        assert.deepEqual(ascending(by_segments), expected);
        assert.deepEqual(ascending(by_volume), expected);
      }
    });
    fc.assert(property, propertyParameters({ short: 200, full: 600 }));
  });

  it('show their keys in the first bytes, however long the keys and the last list are', () => {
    const prefix = companyPrefix(Number.MAX_SAFE_INTEGER);
    const last_key = prefix + valueKey('\uffff'.repeat(255));
    const every_event = Array.from({ length: 8_192 }, (_, offset) => offset);
    const above = bytesOf(`${last_key}\u00ff`);
    // The last entry begins at places up to the last one in a block.
    for (let length = 1; length < 1_000; length += 1) {
      const first_lengths = [Math.min(length, 500), Math.max(0, length - 500)];
      const firsts = first_lengths.map((chars, at) => prefix + valueKey(`${at}${'a'.repeat(chars)}`));
      const written: KeyedOffsets = new Map([
        ...firsts.map((key) => [key, [0]] as [string, number[]]),
        [last_key, every_event],
      ]);
      const block = toBlocks(written).find(({ entries }) => entries.length > 8_192)!;
      const start = block.entries.subarray(0, start_bytes);
      const has = (key: Buffer) => hasMatch(start, { from: key, to: key });
      assert(has(bytesOf(last_key)), `with ${length} characters before`);
      assert(!has(above));
      assert(beginsAfter(start, bytesOf(companyPrefix(1))) && !beginsAfter(start, block.first_key));
    }
  });

  it('begin with their first key, ascend, and return what was written', () => {
    const keyed = fc.array(fc.tuple(text, fc.uniqueArray(fc.nat({ max: 8_191 }), { minLength: 1 })), {
      maxLength: 200,
    });
    const property = fc.property(keyed, (drawn) => {
      const written: KeyedOffsets = new Map(
        drawn.map(([value, offsets]) => [valueKey(value), offsets.toSorted((a, b) => a - b)]),
      );
      const blocks = toBlocks(written);
      const read: KeyedOffsets = new Map();
      for (const [at, { first_key, entries }] of blocks.entries()) {
        const previous = blocks[at - 1];
        assert(previous === undefined || Buffer.compare(previous.first_key, first_key) < 0);
        const of_block: KeyedOffsets = new Map();
        addEntries(entries, 0, of_block);
        assert.equal([...of_block.keys()][0], first_key.toString('latin1'));
        addEntries(entries, 5, read);
      }
      const shifted = [...written].map(([key, offsets]) => [key, offsets.map((offset) => offset + 5)] as const);
      assert.deepEqual(new Map([...read].sort()), new Map(shifted.sort()));
    });
    fc.assert(property, propertyParameters({ short: 100, full: 300 }));
  });
});
