import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EventFilter, indexedValuesOf, matches } from '@tallystick/events';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  addEntries,
  addMatches,
  beginsAfter,
  type KeyedOffsets,
  matchingBytes,
  start_bytes,
  toBlocks,
} from '../../src/event-index/filter-block.ts';
import { bytesOf, companyPart, keyOf, keyRangeOf } from '../../src/event-index/filter-key.ts';
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
      const key = bytesOf(keyOf(companyPart(company_id), indexed));
      const searched = typeof indexed === 'string' ? [company_id, null] : [company_id];
      for (const filter of [
        { name, kind: 'range', ...ends },
        { name, kind: 'equals', value },
      ] as const) {
        for (const company of searched) {
          const { from, to } = keyRangeOf(company, filter);
          const is_within = Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) <= 0;
          assert.equal(is_within, matches(event, filter));
        }
      }
    });
    fc.assert(property, propertyParameters({ short: 500, full: 1_500 }));
  });

  it('keep the values of companies apart, whatever the filter', () => {
    const property = fc.property(company, company, integer, (mine, other, value) => {
      fc.pre(mine !== other);
      const { from, to } = keyRangeOf(mine, { name: 'payload.billing_amount', kind: 'range' });
      const key = bytesOf(keyOf(companyPart(other), value));
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

  it('return exactly the events of the company whose text is in the range, of one company or of all', () => {
    const of_text = { field: 5, column: 'net_reference_number' };
    const textOf = (value: number) => `${String.fromCharCode(110 + value)}|`;
    const bounds = fc.tuple(fc.integer({ min: -3, max: 41 }), fc.integer({ min: -3, max: 41 }));
    const property = fc.property(values, bounds, (drawn, [from, to]) => {
      const events = eventsOf(drawn, 128);
      const range = { from_id: 128, range_size: 128 };
      const texts = events.map(([id, company_id, value]): FilterValues => {
        return [id, company_id, value === null ? null : textOf(Number(value))];
      });
      const blocks = indexField(range, of_text, texts, 0);
      for (const company_id of [1, 2, 3, null]) {
        const filter = { name: 'payload.net_ref_num', kind: 'range', from: textOf(from), to: textOf(to) } as const;
        const found: number[] = [];
        for (const { entries } of blocks) addMatches(entries, 128, keyRangeOf(company_id, filter), found);
        const expected = events.flatMap(([id, of, value]) => {
          const is_met = value !== null && Number(value) >= from && Number(value) <= to;
          return is_met && (company_id ?? of) === of ? [id] : [];
        });
        assert.deepEqual(
          found.toSorted((a, b) => a - b),
          expected,
        );
      }
    });
    fc.assert(property, propertyParameters({ short: 200, full: 600 }));
  });

  it('show their keys in the first bytes, however long the keys and the last list are', () => {
    const part = companyPart(Number.MAX_SAFE_INTEGER);
    const last_key = keyOf(part, '\uffff'.repeat(255));
    const every_event = Array.from({ length: 8_192 }, (_, offset) => offset);
    const above = bytesOf(`${last_key}\u00ff`);
    // The last entry begins at places up to the last one in a block.
    for (let length = 1; length < 1_000; length += 1) {
      const first_lengths = [Math.min(length, 500), Math.max(0, length - 500)];
      const firsts = first_lengths.map((chars, at) => keyOf(part, `${at}${'a'.repeat(chars)}`));
      const written = [...firsts.map((key) => ({ key, offsets: [0] })), { key: last_key, offsets: [...every_event] }];
      const block = toBlocks(written).find(({ entries }) => entries.length > 8_192)!;
      const start = block.entries.subarray(0, start_bytes);
      const has = (key: Buffer) => matchingBytes(start, { from: key, to: key }) > 0;
      assert(has(bytesOf(last_key)), `with ${length} characters before`);
      assert(!has(above));
      assert(beginsAfter(start, bytesOf(keyOf(part, '!'))) && !beginsAfter(start, block.first_key));
    }
  });

  it('begin with their first key, ascend, and return what was written', () => {
    const part_of_one = companyPart(1);
    const keyed = fc.array(fc.oneof(text, fc.constantFrom('a', 'b', 'ab')), { maxLength: 500 });
    const property = fc.property(keyed, (drawn) => {
      const written = drawn.map((value, offset) => ({ key: keyOf(part_of_one, value), offset }));
      const blocks = toBlocks(written.map(({ key, offset }) => ({ key, offsets: [offset] })));
      const read: KeyedOffsets[] = [];
      for (const [at, { first_key, entries }] of blocks.entries()) {
        const previous = blocks[at - 1];
        assert(previous === undefined || Buffer.compare(previous.first_key, first_key) < 0);
        const of_block: KeyedOffsets[] = [];
        addEntries(entries, 0, of_block);
        assert.equal(of_block[0]!.key, first_key.toString('latin1'));
        addEntries(entries, 5, read);
      }
      const expected = Map.groupBy(written, ({ key }) => key);
      assert.equal(read.length, expected.size);
      for (const { key, offsets } of read) {
        assert.deepEqual(
          offsets,
          expected.get(key)!.map(({ offset }) => offset + 5),
        );
      }
    });
    fc.assert(property, propertyParameters({ short: 100, full: 300 }));
  });
});
