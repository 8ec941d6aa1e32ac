import type { Authorization, VirtualCard } from '@tallystick/cards';
import { holdEndOf, windowStartOf } from './calendar.ts';
import type { Invariant, Step } from './invariant.ts';

export const windows_tile_time: Invariant = {
  name: 'windows tile time',
  says: 'every window begins where the calendar says in UTC, contains its records and never goes back',
  begin: () => ({
    *step(step) {
      for (const { key, before, after } of step.changes('cards')) {
        if (after === undefined) continue;
        const { recurring, counters } = after;
        const start_ms = counters.window_start_ms;
        const what = `card ${key} (${recurring})`;
        if (windowStartOf(recurring, start_ms) !== start_ms) yield `${what}: no window begins at ${start_ms}`;
        if (start_ms > step.now_ms) yield `${what}: its window begins at ${start_ms}, after now`;
        if (before !== undefined && before.counters.window_start_ms > start_ms) yield `${what}: its window goes back`;
      }
      const own = new Set(step.changes('clearings').map(({ after }) => after?.authorization_id));
      for (const { key, before, after } of step.changes('authorizations')) {
        if (before !== undefined || after === undefined || after.root_id !== key) continue;
        const recurring = step.state.cards.get(after.card_id)?.recurring ?? null;
        const right = windowStartOf(recurring, after.decided_at_ms);
        const seen = after.window_start_ms;
        const is_of_clearing = seen < right && own.has(key) && windowStartOf(recurring, seen) === seen;
        if (seen !== right && !is_of_clearing) {
          yield `authorization ${key} of ${after.decided_at_ms} counts in the ${recurring} window of ${seen}, not ${right}`;
        }
      }
      for (const { key, before, after } of step.changes('clearings')) {
        if (before !== undefined || after === undefined) continue;
        const { card_id, authorization_id, clearing_id, recorded_at_ms, window_start_ms } = after;
        if (authorization_id !== null || clearing_id !== null) continue;
        const right = windowStartOf(step.state.cards.get(card_id)?.recurring ?? null, recorded_at_ms);
        if (window_start_ms !== right) yield `clearing ${key} counts in the window of ${window_start_ms}, not ${right}`;
      }
    },
  }),
};

/** The ends that a hold may have by the days that its card or company had around the step. */
function rightEnds(step: Step, card: VirtualCard, row: Authorization): ReadonlySet<number | null> {
  const { authorization_hold_days, aging_velocity_time_zone } = card;
  if (authorization_hold_days !== null && aging_velocity_time_zone !== null) {
    return new Set([holdEndOf(row.decided_at_ms, authorization_hold_days, aging_velocity_time_zone)]);
  }
  const companies = [step.before, step.state].map((state) => state.companies.get(card.company_id));
  return new Set(
    companies.map((company) => {
      const days = company?.hold_days ?? 30;
      return days === 'never' ? null : holdEndOf(row.decided_at_ms, days, 'UTC');
    }),
  );
}

export const holds_end_on_their_day: Invariant = {
  name: 'holds end on their day',
  says: 'a hold ends at 00:00:01 local time, the days of its card or company after the authorization',
  begin: () => ({
    *step(step) {
      for (const { key, before, after } of step.changes('authorizations')) {
        if (before !== undefined || after?.root_id !== key || after.status !== 'open' || after.held === 0) continue;
        const card = step.state.cards.get(after.card_id);
        const first = card?.currency === null ? after.billing_amount : after.merchant_amount;
        // A hold that an increment or an advice began ends like one that is made then.
        if (card === undefined || first === 0) continue;
        const right = rightEnds(step, card, after);
        if (!right.has(after.hold_end_ms)) {
          yield `the hold of authorization ${key} of ${after.decided_at_ms} ends at ${after.hold_end_ms}, not ${[...right].join(' or ')}`;
        }
      }
    },
  }),
};

/** How late a job may be at the end of a run: several of its intervals. */
const late_ms_max = 10 * 60_000;

export const ended_holds_hold_nothing: Invariant = {
  name: 'ended holds hold nothing',
  says: 'a card knows when its next hold ends, and nothing holds after its end',
  begin() {
    const ends = new Map<number, Map<number, number>>();
    return {
      *step(step) {
        const touched = new Set<number>();
        for (const { key, before, after } of step.changes('authorizations')) {
          const card_id = (after ?? before)!.card_id;
          const of_card = ends.get(card_id) ?? new Map<number, number>();
          ends.set(card_id, of_card);
          touched.add(card_id);
          if (after !== undefined && after.held > 0 && after.hold_end_ms !== null) of_card.set(key, after.hold_end_ms);
          else of_card.delete(key);
        }
        for (const { key } of step.changes('cards')) touched.add(key);
        for (const card_id of touched) {
          const of_card = ends.get(card_id);
          if (of_card === undefined || of_card.size === 0) continue;
          const first = Math.min(...of_card.values());
          const known = step.state.cards.get(card_id)?.counters.next_hold_end_ms ?? Number.POSITIVE_INFINITY;
          if (known > first) yield `card ${card_id} has a hold that ends at ${first}, and expects it at ${known}`;
        }
      },
      *end({ now_ms }) {
        for (const [card_id, of_card] of ends) {
          for (const [id, end_ms] of of_card) {
            if (end_ms < now_ms - late_ms_max)
              yield `card ${card_id}: authorization ${id} holds since its end at ${end_ms}`;
          }
        }
      },
    };
  },
};
