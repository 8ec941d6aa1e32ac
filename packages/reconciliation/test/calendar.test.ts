import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { dateOf, day_ms, daysAfter, daysBetween, startOf } from '../src/index.ts';

const instants = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2400, 0, 1) });

test('dates are those of the calendar', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -1_000, max: 1_000 }), (at_ms, days) => {
      const date = Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO('UTC').toPlainDate();
      assert.equal(dateOf(at_ms), date.toString());
      assert.equal(daysAfter(date.toString(), days), date.add({ days }).toString());
      assert.equal(daysBetween(date.toString(), daysAfter(date.toString(), days)), days);
    }),
    propertyParameters({ short: 1_000, full: 3_000 }),
  );
});

test('a day lasts from its first to its last millisecond', () => {
  for (const date of ['2024-02-29', '2026-01-01', '2026-12-31', '2000-02-29', '2100-03-01']) {
    assert.equal(dateOf(startOf(date)), date);
    assert.equal(dateOf(startOf(date) + day_ms - 1), date);
    assert.notEqual(dateOf(startOf(date) - 1), date);
  }
});
