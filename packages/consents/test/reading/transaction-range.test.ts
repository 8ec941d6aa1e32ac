import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BookingRange, OpenBankingRefusal, type TransactionQuery, transactionRange } from '@tallystick/consents';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { now_ms } from '../bank-world.ts';

const open_consent = { transaction_from_date_time: null, transaction_to_date_time: null };

/** Today is 2026-05-20. History begins on 2023-05-20, the future ends on 2026-05-25. */
function rangeOf(from?: string, to?: string, consent: Partial<typeof open_consent> | object = {}): BookingRange | null {
  return transactionRange({ from, to }, { ...open_consent, ...consent }, now_ms);
}

function problemsOf(query: TransactionQuery): readonly string[] {
  try {
    transactionRange(query, open_consent, now_ms);
  } catch (error) {
    assert(error instanceof OpenBankingRefusal);
    assert.equal(error.kind, 'invalid');
    return error.problems.map(({ code, path }) => `${code} ${path}`);
  }
  return [];
}

describe('the seven date rules', () => {
  it('rule 1: a range within 13 months and the last 3 years is served whole', () => {
    assert.deepEqual(rangeOf('2026-01-10', '2026-03-15'), { from: '2026-01-10', to: '2026-03-15' });
    assert.deepEqual(rangeOf('2025-04-20', '2026-05-20'), { from: '2025-04-20', to: '2026-05-20' });
    assert.deepEqual(rangeOf('2023-05-20', '2024-06-20'), { from: '2023-05-20', to: '2024-06-20' });
    assert.deepEqual(rangeOf('2026-05-20', '2026-05-20'), { from: '2026-05-20', to: '2026-05-20' });
  });

  it('rule 2: of a longer range, the 13 months that end on the To date', () => {
    assert.deepEqual(rangeOf('2025-04-19', '2026-05-20'), { from: '2025-04-20', to: '2026-05-20' });
    assert.deepEqual(rangeOf('2023-06-01', '2026-01-31'), { from: '2024-12-31', to: '2026-01-31' });
    assert.deepEqual(rangeOf('2023-06-01', '2026-03-31'), { from: '2025-02-28', to: '2026-03-31' });
  });

  it('rule 3: of a range that is older than 3 years, the part within the last 3 years and 13 months', () => {
    assert.deepEqual(rangeOf('2022-12-01', '2023-09-30'), { from: '2023-05-20', to: '2023-09-30' });
    assert.deepEqual(rangeOf('2020-01-01', '2023-05-20'), { from: '2023-05-20', to: '2023-05-20' });
    assert.deepEqual(rangeOf('2020-01-01', '2026-05-20'), { from: '2025-04-20', to: '2026-05-20' });
    assert.equal(rangeOf('2020-01-01', '2023-05-19'), null);
  });

  it('rule 4: the future only up to 5 days from today', () => {
    assert.deepEqual(rangeOf('2026-05-01', '2026-12-31'), { from: '2026-05-01', to: '2026-05-25' });
    assert.deepEqual(rangeOf('2026-05-22', '2026-05-24'), { from: '2026-05-22', to: '2026-05-24' });
    assert.deepEqual(rangeOf('2026-05-25', '2026-05-26'), { from: '2026-05-25', to: '2026-05-25' });
    assert.equal(rangeOf('2026-05-26', '2026-05-26'), null);
  });

  it('rule 4 comes first: of a To in the far future, the newest 13 months are served', () => {
    const newest = { from: '2025-04-25', to: '2026-05-25' };
    for (const to of ['2026-05-26', '2026-12-31', '2099-12-31', '2999-01-01', '9999-12-31', '9999-12-31T24:00:00']) {
      assert.deepEqual(rangeOf(undefined, to), newest, to);
      assert.deepEqual(rangeOf('2020-01-01', to), newest, to);
      assert.deepEqual(rangeOf('0000-01-01', to), newest, to);
      assert.deepEqual(rangeOf('2026-05-01', to), { from: '2026-05-01', to: '2026-05-25' }, to);
      assert.deepEqual(rangeOf('2026-05-25', to), { from: '2026-05-25', to: '2026-05-25' }, to);
      assert.equal(rangeOf('2026-05-26', to), null, to);
    }
    assert.equal(rangeOf('9999-12-31', '9999-12-31T23:59:59+14:00'), null);
    assert.equal(rangeOf('9999-12-31'), null);
  });

  it('rule 5: without dates, the last 13 months up to today', () => {
    assert.deepEqual(rangeOf(), { from: '2025-04-20', to: '2026-05-20' });
  });

  it('rule 6: with only a From date, 13 months from it, and up to 5 days after today', () => {
    assert.deepEqual(rangeOf('2024-01-31'), { from: '2024-01-31', to: '2025-02-28' });
    assert.deepEqual(rangeOf('2026-05-01'), { from: '2026-05-01', to: '2026-05-25' });
    assert.deepEqual(rangeOf('2026-05-23'), { from: '2026-05-23', to: '2026-05-25' });
    assert.equal(rangeOf('2026-05-26'), null);
    assert.deepEqual(rangeOf('2022-10-01'), { from: '2023-05-20', to: '2023-11-01' });
    assert.equal(rangeOf('2021-01-01'), null);
  });

  it('rule 7: with only a To date, 13 months back from it', () => {
    assert.deepEqual(rangeOf(undefined, '2026-03-31'), { from: '2025-02-28', to: '2026-03-31' });
    assert.deepEqual(rangeOf(undefined, '2024-01-01'), { from: '2023-05-20', to: '2024-01-01' });
    assert.equal(rangeOf(undefined, '2023-05-19'), null);
    assert.deepEqual(rangeOf(undefined, '2027-01-01'), { from: '2025-04-25', to: '2026-05-25' });
    assert.equal(rangeOf(undefined, '0000-01-01'), null);
  });

  it('are intersected with the range of the consent', () => {
    const consent = {
      transaction_from_date_time: '2026-02-01T00:00:00Z',
      transaction_to_date_time: '2026-03-01T00:00:00Z',
    };
    assert.deepEqual(rangeOf(undefined, undefined, consent), { from: '2026-02-01', to: '2026-03-01' });
    assert.deepEqual(rangeOf('2026-02-10', '2026-04-01', consent), { from: '2026-02-10', to: '2026-03-01' });
    assert.equal(rangeOf('2026-03-02', '2026-04-01', consent), null);
    assert.equal(rangeOf(undefined, '2026-01-31', consent), null);
  });
});

describe('the limits of a consent', () => {
  it('are instants: a transaction is booked at midnight UTC of its booking date', () => {
    const limits = (from: string, to: string) => ({ transaction_from_date_time: from, transaction_to_date_time: to });
    const served = (from: string, to: string) => rangeOf(undefined, undefined, limits(from, to));
    const march = { from: '2026-03-01', to: '2026-03-10' };
    assert.deepEqual(served('2026-03-01T00:00:00Z', '2026-03-10T23:59:59Z'), march);
    assert.deepEqual(served('2026-02-28T00:00:00.001Z', '2026-03-10T00:00:00Z'), march);
    // Midnight in Berlin is 23:00 UTC of the day before.
    assert.deepEqual(served('2026-03-01T00:00:00+01:00', '2026-03-11T00:00:00+01:00'), march);
    assert.deepEqual(served('2026-02-28T19:00:00-05:00', '2026-03-09T19:00:00-05:00'), march);
    assert.equal(served('2026-03-10T00:00:01Z', '2026-03-10T23:59:59Z'), null);
  });
});

describe('a date of a query', () => {
  it('is any form of ISO 8601, and its zone is ignored', () => {
    for (const text of [
      '2026-03-05',
      '20260305',
      '2026-064',
      '2026064',
      '2026-W10-4',
      '2026W104',
      '2026-03-05T00:00:00',
      '2026-03-05T00:00:00Z',
      '2026-03-05T00:00:00.000Z',
      '2026-03-05T00:00:00,000+05:30',
      '2026-03-05T00:00:00-11:00',
      '2026-03-05T00:00:00 01:00',
      '2026-03-05T00:00+01',
      '2026-03-05t00z',
      '20260305T000000Z',
      '20260305T0000-0500',
      '2026-03-04T24:00:00Z',
    ]) {
      assert.deepEqual(rangeOf(text, text), { from: '2026-03-05', to: '2026-03-05' }, text);
    }
    assert.deepEqual(rangeOf('2026-03', '2026-03-05'), { from: '2026-03-01', to: '2026-03-05' });
    assert.deepEqual(rangeOf('2026-W01-1', '2026-W02-7'), { from: '2025-12-29', to: '2026-01-11' });
    assert.deepEqual(rangeOf('2026', '2026-01-02'), { from: '2026-01-01', to: '2026-01-02' });
    assert.deepEqual(rangeOf('2023-12-31T23:59:60Z', '2024-01-01'), { from: '2024-01-01', to: '2024-01-01' });
  });

  it('includes a booking date exactly when its midnight is within the range', () => {
    assert.deepEqual(rangeOf('2026-03-05T00:00:01', '2026-03-07T23:59:59'), { from: '2026-03-06', to: '2026-03-07' });
    assert.deepEqual(rangeOf('2026-03-05T00:00:00.000000001', '2026-03-06'), { from: '2026-03-06', to: '2026-03-06' });
    assert.equal(rangeOf('2026-03-05T10:00:00', '2026-03-05T12:00:00'), null);
  });

  it('is refused when it does not exist or is no ISO 8601', () => {
    for (const text of [
      '',
      ' ',
      'yesterday',
      '2026-02-30',
      '2026-13-01',
      '2026-3-5',
      '05/03/2026',
      '2026-000',
      '2026-366',
      '2026-W54-1',
      '2025-W53-1',
      '2026-W10-8',
      '2026-03-05T',
      '2026-03-05T25:00',
      '2026-03-05T24:00:01',
      '2026-03-05T10:60',
      '2026-03-05T10:00:00+1',
      '2026-03-05 10:00',
      '2026-03-05T10:00:00Z[UTC]',
      '2026-03-05T10:00:00Zx',
      '1780000000000',
      'P1D',
      '+002026-03-05',
      `2026-03-05T${'1'.repeat(100_000)}`,
    ]) {
      assert.deepEqual(
        problemsOf({ from: text, to: undefined }),
        ['UK.OBIE.Field.InvalidDate fromBookingDateTime'],
        text,
      );
      assert.deepEqual(
        problemsOf({ from: undefined, to: text }),
        ['UK.OBIE.Field.InvalidDate toBookingDateTime'],
        text,
      );
    }
    const both = ['UK.OBIE.Field.InvalidDate fromBookingDateTime', 'UK.OBIE.Field.InvalidDate toBookingDateTime'];
    assert.deepEqual(problemsOf({ from: 'x', to: 'y' }), both);
  });

  it('is refused as From after To, also at another time of one day and in the future', () => {
    const expected = ['UK.OBIE.Field.InvalidDate fromBookingDateTime'];
    for (const [from, to] of [
      ['2026-03-02', '2026-03-01'],
      ['2026-03-01T12:00:00', '2026-03-01T11:59:59'],
      ['2027-03-02', '2027-03-01'],
      // The zones are ignored, so these are not the same instant.
      ['2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00Z'],
    ]) {
      assert.deepEqual(problemsOf({ from, to }), expected, `${from} ${to}`);
    }
    assert.deepEqual(problemsOf({ from: '2026-03-01', to: '2026-03-01' }), []);
  });
});

describe('whatever is asked and granted', () => {
  const day = fc.integer({ min: -2_200, max: 400 });
  const hour = fc.integer({ min: 0, max: 23 });
  const moment = fc
    .tuple(day, hour)
    .map(([days, hours]) => now_ms - 12 * 3_600_000 + days * 86_400_000 + hours * 3_600_000);
  const optional = fc.option(moment);
  const textOf = (at: number | null) => (at === null ? undefined : new Date(at).toISOString());
  const limitOf = (at: number | null) => textOf(at) ?? null;

  /** This day of another month, or the last one of that month. */
  function monthsLater(day: number, months: number): number {
    const date = new Date(day);
    const month = date.getUTCMonth() + months;
    const length = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
    return Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), length));
  }

  it('a naive model of the seven rules serves the same dates', () => {
    const day_ms = 86_400_000;
    const any_moment = fc.oneof(moment, fc.constantFrom(...['0000-01-01', '2999-12-31', '9999-12-31'].map(Date.parse)));
    const nullable = fc.option(any_moment);
    fc.assert(
      fc.property(nullable, nullable, nullable, nullable, (from, to, first, last) => {
        fc.pre(from === null || to === null || from <= to);
        const today = Math.floor(now_ms / day_ms) * day_ms;
        const served: string[] = [];
        for (let day = today - 1_200 * day_ms; day <= today + 30 * day_ms; day += day_ms) {
          if (isServed(day)) served.push(new Date(day).toISOString().slice(0, 10));
        }
        const consent = { transaction_from_date_time: limitOf(first), transaction_to_date_time: limitOf(last) };
        const range = transactionRange({ from: textOf(from), to: textOf(to) }, consent, now_ms);
        assert.deepEqual(range, served.length === 0 ? null : { from: served[0], to: served.at(-1) });

        function isServed(day: number): boolean {
          const ahead = today + 5 * day_ms;
          if (day > ahead || day < monthsLater(today, -36)) return false;
          if ((first !== null && day < first) || (last !== null && day > last)) return false;
          if ((from !== null && day < from) || (to !== null && day > to)) return false;
          if (to !== null) return day >= monthsLater(Math.min(midnightOf(to), ahead), -13);
          if (from !== null) return day <= monthsLater(midnightOf(from + day_ms - 1), 13);
          return day >= monthsLater(today, -13) && day <= today;
        }

        function midnightOf(at: number): number {
          return Math.floor(at / day_ms) * day_ms;
        }
      }),
      propertyParameters({ short: 300, full: 2_000 }),
    );
  });

  it('no date is served outside the query, the consent, 13 months, 3 years and 5 days ahead', () => {
    fc.assert(
      fc.property(
        optional,
        optional,
        optional,
        optional,
        fc.integer({ min: 0, max: 1_500 }),
        (from, to, first, last, days) => {
          fc.pre(from === null || to === null || from <= to);
          const now = now_ms + days * 86_400_000;
          const consent = { transaction_from_date_time: limitOf(first), transaction_to_date_time: limitOf(last) };
          const range = transactionRange({ from: textOf(from), to: textOf(to) }, consent, now);
          if (range === null) return;
          const [start, end] = [Date.parse(range.from), Date.parse(range.to)];
          assert(start <= end);
          for (const bound of [from, first]) assert(bound === null || start >= bound);
          for (const bound of [to, last]) assert(bound === null || end <= bound);
          assert(end <= now + 5 * 86_400_000);
          const [oldest, longest] = [new Date(now), new Date(range.to)];
          oldest.setUTCHours(0, 0, 0, 0);
          oldest.setUTCFullYear(oldest.getUTCFullYear() - 3);
          // Three years before 29 February is 28 February.
          assert(start >= oldest.getTime() - 86_400_000);
          longest.setUTCMonth(longest.getUTCMonth() - 13);
          // A month before the 31st can be up to 3 days shorter.
          assert(start >= longest.getTime() - 3 * 86_400_000);
        },
      ),
      propertyParameters({ short: 1_000, full: 3_000 }),
    );
  });

  it('every date of the last 13 months up to today is served that is asked for and granted', () => {
    const recent = fc.integer({ min: 0, max: 390 });
    fc.assert(
      fc.property(recent, recent, recent, (ago, before, after) => {
        const dateAgo = (days: number) => new Date(now_ms - days * 86_400_000).toISOString().slice(0, 10);
        const wanted = dateAgo(ago);
        const from = dateAgo(Math.min(390, ago + before));
        const to = dateAgo(Math.max(0, ago - after));
        const range = rangeOf(from, to);
        assert(range !== null && range.from <= wanted && wanted <= range.to);
        assert.deepEqual(range, { from, to });
      }),
      propertyParameters({ short: 200, full: 600 }),
    );
  });
});
