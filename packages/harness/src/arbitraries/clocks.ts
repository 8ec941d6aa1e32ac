import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { gmtDate } from '../reference/calendar.ts';
import { zones } from './cards.ts';

/** The next move of a run's clock. `clockTarget` turns it into an instant. */
export type ClockMove =
  | { readonly kind: 'by'; readonly seconds: number }
  | { readonly kind: 'to_hour'; readonly days: number; readonly hour: number }
  | { readonly kind: 'months'; readonly months: number }
  /** To an instant at which a card changes without a message, or just before or after it. */
  | {
      readonly kind: 'boundary';
      readonly card_pick: number;
      readonly boundary_pick: number;
      readonly offset_ms: number;
    }
  /** Past the last instant of use of a card. */
  | { readonly kind: 'expiry'; readonly card_pick: number }
  /** To some hours before or after the next change of the local clock in a zone. */
  | { readonly kind: 'clock_change'; readonly zone: string; readonly offset_hours: number };

/** Moves from seconds to months, most of them onto boundaries. */
export function clockMove(): fc.Arbitrary<ClockMove> {
  const card_pick = fc.nat({ max: 5 });
  const few_days = fc.integer({ min: 1, max: 3 });
  const nearest = { weight: 3, arbitrary: fc.constant(0) };
  return fc.oneof(
    weighed(6, 'by', { seconds: fc.integer({ min: 1, max: 200_000 }) }),
    weighed(2, 'to_hour', {
      days: fc.oneof(few_days, fc.integer({ min: 1, max: 40 })),
      hour: fc.integer({ min: 0, max: 23 }),
    }),
    weighed(1, 'months', { months: fc.integer({ min: 1, max: 14 }) }),
    weighed(6, 'boundary', {
      card_pick,
      boundary_pick: fc.oneof(nearest, { weight: 1, arbitrary: fc.nat({ max: 5 }) }),
      offset_ms: fc.constantFrom(0, -1, 1, -1_000, 1_000),
    }),
    weighed(1, 'expiry', { card_pick }),
    weighed(2, 'clock_change', { zone: fc.constantFrom(...zones), offset_hours: fc.integer({ min: -72, max: 3 }) }),
  );
}

function weighed<Kind extends string, Fields>(
  weight: number,
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) {
  const arbitrary = fc.record(fields).map((drawn) => ({ kind, ...drawn }));
  return { weight, arbitrary };
}

/**
 * The instant of a move, never earlier than now. `boundaries` are those of the card that the move
 * selects, soonest first. A move to a boundary that does not exist leaves the clock unchanged.
 */
export function clockTarget(
  move: ClockMove,
  now_ms: number,
  boundaries: (card_pick: number) => readonly number[],
): number {
  return Math.max(now_ms, Math.trunc(unbounded(move, now_ms, boundaries)));
}

function unbounded(move: ClockMove, now_ms: number, boundaries: (card_pick: number) => readonly number[]): number {
  switch (move.kind) {
    case 'by':
      return now_ms + move.seconds * 1_000;
    case 'to_hour':
      return Temporal.PlainDate.from(gmtDate(now_ms))
        .add({ days: move.days })
        .toZonedDateTime({ timeZone: 'UTC', plainTime: { hour: move.hour } }).epochMilliseconds;
    case 'months':
      return Temporal.PlainDate.from(gmtDate(now_ms)).add({ months: move.months }).toZonedDateTime('UTC')
        .epochMilliseconds;
    case 'boundary': {
      const known = boundaries(move.card_pick);
      const at = known[move.boundary_pick % Math.max(1, known.length)];
      return at === undefined ? now_ms : at + move.offset_ms;
    }
    case 'expiry': {
      const last = boundaries(move.card_pick).at(-1);
      return last === undefined ? now_ms : last + 1;
    }
    case 'clock_change': {
      const local = Temporal.Instant.fromEpochMilliseconds(now_ms).toZonedDateTimeISO(move.zone);
      const change = local.getTimeZoneTransition('next');
      return change === null ? now_ms : change.add({ hours: move.offset_hours }).epochMilliseconds;
    }
  }
}

/**
 * The start of a run's clock: any second of some years, often close to the beginning of a window.
 */
export function startInstant(): fc.Arbitrary<number> {
  const from = Temporal.Instant.from('2024-01-01T00:00:00Z').epochMilliseconds;
  const any_second = fc.integer({ min: 0, max: 4 * 366 * 86_400 }).map((seconds) => from + seconds * 1_000);
  const near_midnight = fc
    .record({ day: fc.integer({ min: 1, max: 4 * 366 }), offset_ms: fc.constantFrom(-1, 0, 1, 1_000, -60_000) })
    .map(({ day, offset_ms }) => from + day * 86_400_000 + offset_ms);
  return fc.oneof(any_second, near_midnight);
}

/**
 * The planned instant, or when that has passed, the next one at the same time of the same day of a
 * month; in a shorter month, on its last day.
 */
export function nextOfKind(planned_ms: number, now_ms: number): number {
  if (planned_ms >= now_ms) return planned_ms;
  const planned = Temporal.Instant.fromEpochMilliseconds(planned_ms).toZonedDateTimeISO('UTC');
  const now = Temporal.Instant.fromEpochMilliseconds(now_ms).toZonedDateTimeISO('UTC');
  const { months } = planned.until(now, { largestUnit: 'months' });
  const found = planned.add({ months }).epochMilliseconds;
  return found >= now_ms ? found : planned.add({ months: months + 1 }).epochMilliseconds;
}
