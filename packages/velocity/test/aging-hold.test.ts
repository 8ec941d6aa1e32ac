import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { agingHoldEnd, isTimeZone } from '../src/index.ts';

const ms = (iso: string) => Temporal.Instant.from(iso).epochMilliseconds;
const iso = (at_ms: number) => Temporal.Instant.fromEpochMilliseconds(at_ms).toString();

/**
 * Zones whose clocks change at, around and over midnight, by half an hour, an hour and a whole day.
 */
const zones = [
  'UTC',
  'America/New_York',
  'Europe/London',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Havana',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
];
const authorizations = fc.integer({ min: ms('1985-01-01T00:00:00Z'), max: ms('2045-01-01T00:00:00Z') });

test('the end of a hold in UTC is the one that the calendar of UTC has', () => {
  fc.assert(
    fc.property(authorizations, fc.integer({ min: 1, max: 365 }), (at_ms, hold_days) => {
      const date = Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO('UTC').toPlainDate();
      const end = date.add({ days: hold_days }).toZonedDateTime({ timeZone: 'UTC', plainTime: '00:00:01' });
      assert.equal(agingHoldEnd(at_ms, hold_days, 'UTC'), end.epochMilliseconds);
    }),
    propertyParameters(),
  );
});

describe('an aging hold', () => {
  const cases: readonly [string, string, number, string, string][] = [
    ['on an ordinary day', '2026-06-10T15:00:00-04:00', 7, 'America/New_York', '2026-06-17T00:00:01-04:00'],
    ['over the start of summer time', '2026-03-07T12:00:00-05:00', 1, 'America/New_York', '2026-03-08T00:00:01-05:00'],
    ['past the start of summer time', '2026-03-07T12:00:00-05:00', 2, 'America/New_York', '2026-03-09T00:00:01-04:00'],
    ['past the end of summer time', '2026-10-31T23:59:59-04:00', 2, 'America/New_York', '2026-11-02T00:00:01-05:00'],
    [
      'from the second 01:30 of a night',
      '2026-11-01T01:30:00-05:00',
      1,
      'America/New_York',
      '2026-11-02T00:00:01-05:00',
    ],
    [
      'by the local date, not the UTC one',
      '2026-06-10T23:30:00-04:00',
      1,
      'America/New_York',
      '2026-06-11T00:00:01-04:00',
    ],
    ['over a London spring', '2026-03-28T12:00:00Z', 1, 'Europe/London', '2026-03-29T00:00:01Z'],
    ['past a London spring', '2026-03-28T12:00:00Z', 2, 'Europe/London', '2026-03-30T00:00:01+01:00'],
    ['past a London autumn', '2026-10-24T12:00:00+01:00', 2, 'Europe/London', '2026-10-26T00:00:01Z'],
    [
      'on a day without midnight: Brazil',
      '2018-11-03T10:00:00-03:00',
      1,
      'America/Sao_Paulo',
      '2018-11-04T01:00:00-02:00',
    ],
    [
      'on a day after a repeated hour: Brazil',
      '2018-02-17T10:00:00-02:00',
      1,
      'America/Sao_Paulo',
      '2018-02-18T00:00:01-03:00',
    ],
    ['on a day without midnight: Egypt', '2023-04-27T10:00:00+02:00', 1, 'Africa/Cairo', '2023-04-28T01:00:00+03:00'],
    [
      'on a day whose eve repeats an hour: Egypt',
      '2023-10-26T10:00:00+03:00',
      1,
      'Africa/Cairo',
      '2023-10-27T00:00:01+02:00',
    ],
    ['on a day without midnight: Lebanon', '2022-03-26T10:00:00+02:00', 1, 'Asia/Beirut', '2022-03-27T01:00:00+03:00'],
    ['on a day without midnight: Cuba', '2023-03-11T10:00:00-05:00', 1, 'America/Havana', '2023-03-12T01:00:00-04:00'],
    [
      'when 00:00:01 comes twice, the earlier',
      '2023-11-04T10:00:00-04:00',
      1,
      'America/Havana',
      '2023-11-05T00:00:01-04:00',
    ],
    ['by half an hour: Lord Howe', '2026-04-04T10:00:00+11:00', 2, 'Australia/Lord_Howe', '2026-04-06T00:00:01+10:30'],
    [
      'by half an hour back: Lord Howe',
      '2026-10-03T10:00:00+10:30',
      2,
      'Australia/Lord_Howe',
      '2026-10-05T00:00:01+11:00',
    ],
    ['on a day that was skipped: Samoa', '2011-12-29T10:00:00-10:00', 1, 'Pacific/Apia', '2011-12-31T00:00:00+14:00'],
    [
      'authorized between two midnights: Newfoundland',
      '2010-11-06T23:30:00-03:30',
      1,
      'America/St_Johns',
      '2010-11-07T00:00:01-03:30',
    ],
    [
      'authorized before two midnights: Newfoundland',
      '2010-11-06T23:30:00-02:30',
      1,
      'America/St_Johns',
      '2010-11-07T00:00:01-02:30',
    ],
  ];
  for (const [name, authorized_at, hold_days, time_zone, end] of cases) {
    test(`ends ${name}`, () => {
      assert.equal(iso(agingHoldEnd(ms(authorized_at), hold_days, time_zone)), iso(ms(end)));
    });
  }

  test('ends after the authorization, at the first instant at or past 00:00:01 of its last local day', () => {
    fc.assert(
      fc.property(authorizations, fc.integer({ min: 1, max: 365 }), fc.constantFrom(...zones), (at, days, zone) => {
        const end_ms = agingHoldEnd(at, days, zone);
        assert.ok(end_ms > at);
        const local = (t: number) => Temporal.Instant.fromEpochMilliseconds(t).toZonedDateTimeISO(zone);
        const wanted = local(at).toPlainDate().add({ days }).toPlainDateTime('00:00:01');
        const end = local(end_ms).toPlainDateTime();
        assert.ok(Temporal.PlainDateTime.compare(end, wanted) >= 0);
        const before = local(end_ms - 1).toPlainDateTime();
        assert.ok(Temporal.PlainDateTime.compare(before, wanted) < 0);
      }),
      propertyParameters({ short: 2_000, full: 5_000 }),
    );
  });

  test('never ends sooner with more days', () => {
    fc.assert(
      fc.property(authorizations, fc.integer({ min: 1, max: 364 }), fc.constantFrom(...zones), (at, days, zone) => {
        assert.ok(agingHoldEnd(at, days, zone) <= agingHoldEnd(at, days + 1, zone));
      }),
      propertyParameters(),
    );
  });
});

describe('a time zone', () => {
  for (const zone of ['America/New_York', 'Europe/London', 'UTC', 'US/Pacific', 'Etc/GMT+5', 'Asia/Kathmandu']) {
    test(`is known: ${zone}`, () => assert.equal(isTimeZone(zone), true));
  }
  for (const zone of [
    '',
    ' ',
    'Mars/Olympus',
    'america/new_york',
    '+02:00',
    '-05',
    '2026-01-01T00:00[Europe/London]',
    'Europe/London ',
  ]) {
    test(`is not known: ${JSON.stringify(zone)}`, () => assert.equal(isTimeZone(zone), false));
  }
});
