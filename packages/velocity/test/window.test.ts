import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type Recurring, recurring_values, utcDateAt, utcInstantAt, utcMonthStart, windowAt } from '../src/index.ts';

const ms = (iso: string) => Temporal.Instant.from(iso).epochMilliseconds;
const instants = fc.integer({ min: ms('1970-01-01T00:00:00Z'), max: ms('2199-12-31T23:59:59.999Z') });
const velocity = fc.constantFrom(...recurring_values.filter((recurring) => recurring !== 'Continuous'));

describe('a velocity window', () => {
  const cases: readonly [Recurring, string, string, string][] = [
    ['Daily', '2026-03-08T00:00:00Z', '2026-03-08T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['Daily', '2026-03-08T23:59:59.999Z', '2026-03-08T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['Weekly', '2026-11-21T12:00:00Z', '2026-11-16T00:00:00Z', '2026-11-23T00:00:00Z'],
    ['Weekly', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00Z', '2026-11-23T00:00:00Z'],
    ['Weekly', '2026-11-23T00:00:00Z', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
    ['Weekly', '2026-01-01T00:00:00Z', '2025-12-29T00:00:00Z', '2026-01-05T00:00:00Z'],
    ['Monthly', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['Monthly', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['Quarterly', '2026-03-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['Quarterly', '2026-11-21T00:00:00Z', '2026-10-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['Yearly', '2026-12-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['Yearly', '2100-02-28T00:00:00Z', '2100-01-01T00:00:00Z', '2101-01-01T00:00:00Z'],
  ];
  for (const [recurring, at, start, end] of cases) {
    test(`${recurring} at ${at} is ${start} up to ${end}`, () => {
      assert.deepEqual(windowAt(recurring, ms(at)), { start_ms: ms(start), end_ms: ms(end) });
    });
  }

  test('Continuous is one window for ever', () => {
    fc.assert(
      fc.property(instants, (at) => {
        assert.deepEqual(windowAt('Continuous', at), { start_ms: 0, end_ms: Number.POSITIVE_INFINITY });
        assert.deepEqual(windowAt(null, at), windowAt('Continuous', at));
      }),
      propertyParameters(),
    );
  });

  test('contains the instant for which it was computed', () => {
    fc.assert(
      fc.property(velocity, instants, (recurring, at) => {
        const { start_ms, end_ms } = windowAt(recurring, at);
        assert.ok(start_ms <= at && at < end_ms);
      }),
      propertyParameters(),
    );
  });

  test('tiles time: each window ends where the next begins, and all its instants map to it', () => {
    fc.assert(
      fc.property(velocity, instants, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (r, at, part) => {
        const window = windowAt(r, at);
        assert.equal(windowAt(r, window.end_ms).start_ms, window.end_ms);
        assert.equal(windowAt(r, window.start_ms - 1).end_ms, window.start_ms);
        const inside = window.start_ms + Math.floor(part * (window.end_ms - window.start_ms));
        assert.deepEqual(windowAt(r, inside), window);
      }),
      propertyParameters(),
    );
  });

  test('agrees with the Temporal calendar', () => {
    fc.assert(
      fc.property(velocity, instants, (recurring, at) => {
        const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('UTC').toPlainDate();
        const first = {
          Daily: date,
          Weekly: date.subtract({ days: date.dayOfWeek - 1 }),
          Monthly: date.with({ day: 1 }),
          Quarterly: date.with({ day: 1, month: date.month - ((date.month - 1) % 3) }),
          Yearly: date.with({ day: 1, month: 1 }),
        }[recurring];
        assert.equal(windowAt(recurring, at).start_ms, first.toZonedDateTime('UTC').epochMilliseconds);
      }),
      propertyParameters(),
    );
  });
});

describe('the UTC calendar', () => {
  test('returns the same date as Temporal', () => {
    fc.assert(
      fc.property(fc.integer({ min: ms('0001-01-01T00:00:00Z'), max: ms('9999-12-31T23:59:59Z') }), (at) => {
        const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('UTC').toPlainDate();
        assert.equal(utcDateAt(at), date.toString());
      }),
      propertyParameters(),
    );
  });

  test('writes an instant like Temporal', () => {
    const round = fc.integer({ min: 0, max: ms('9999-12-31T23:59:59Z') / 10 }).map((tenth) => tenth * 10);
    fc.assert(
      fc.property(fc.oneof(instants, round), fc.constantFrom(1, 1_000), (at, unit) => {
        const at_ms = Math.floor(at / unit) * unit;
        assert.equal(utcInstantAt(at_ms), Temporal.Instant.fromEpochMilliseconds(at_ms).toString());
      }),
      propertyParameters(),
    );
  });

  test('counts months past December into the next year', () => {
    assert.equal(utcMonthStart(2026, 13), ms('2027-01-01T00:00:00Z'));
    assert.equal(utcMonthStart(2024, 3), ms('2024-03-01T00:00:00Z'));
  });
});
