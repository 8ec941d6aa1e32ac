import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { expiryInstant, expiryOf, holdEnd, type Recurring, windowOf } from '../src/reference/calendar.ts';

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const isoOf = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toString();

test('windows begin on the first day of their calendar, weeks on Monday, at midnight UTC', () => {
  const cases: readonly [Recurring, string, string, string][] = [
    ['Daily', '2026-03-08T23:59:59.999Z', '2026-03-08T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['Weekly', '2026-03-08T23:59:59Z', '2026-03-02T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['Weekly', '2026-03-09T00:00:00Z', '2026-03-09T00:00:00Z', '2026-03-16T00:00:00Z'],
    ['Monthly', '2024-02-29T12:00:00Z', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['Quarterly', '2026-06-30T23:59:59Z', '2026-04-01T00:00:00Z', '2026-07-01T00:00:00Z'],
    ['Quarterly', '2026-12-31T00:00:00Z', '2026-10-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['Yearly', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ];
  for (const [recurring, instant, start, end] of cases) {
    const window = windowOf(recurring, at(instant));
    assert.deepEqual([isoOf(window.start_ms), isoOf(window.end_ms)], [start, end], `${recurring} ${instant}`);
  }
  assert.deepEqual(windowOf('Continuous', at('2026-01-01T00:00:00Z')), { start_ms: 0, end_ms: Infinity });
});

test('holds end one second past midnight; after a skip at the first instant that exists, in a repeated hour at the earlier', () => {
  const cases: readonly [string, number, string, string][] = [
    ['2026-03-07T20:00:00Z', 1, 'America/New_York', '2026-03-08T05:00:01Z'],
    ['2026-03-08T20:00:00Z', 1, 'America/New_York', '2026-03-09T04:00:01Z'],
    // Late in the evening there, UTC already has the next day.
    ['2026-03-08T03:30:00Z', 1, 'America/New_York', '2026-03-08T05:00:01Z'],
    // Cuba's clocks skip from 00:00 to 01:00 on 8 March 2026, and repeat 00:00 to 01:00 on 1
    // November.
    ['2026-03-07T12:00:00Z', 1, 'America/Havana', '2026-03-08T05:00:00Z'],
    ['2026-10-31T12:00:00Z', 1, 'America/Havana', '2026-11-01T04:00:01Z'],
  ];
  for (const [authorized, days, zone, end] of cases) {
    assert.equal(isoOf(holdEnd(at(authorized), days, zone)), end, `${authorized} ${zone}`);
  }
});

test('a card expires on the last day of its month two years later', () => {
  assert.equal(expiryOf(at('2024-02-29T23:59:59Z')), '2026-02');
  assert.equal(isoOf(expiryInstant('2026-02')), '2026-02-28T23:59:59Z');
  assert.equal(isoOf(expiryInstant('2028-02')), '2028-02-29T23:59:59Z');
});
