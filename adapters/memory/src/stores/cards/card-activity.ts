import {
  type Authorization,
  authorization_event_type,
  type CardStore,
  type HoldEnds,
  isEndingHold,
  no_hold_ends,
} from '@tallystick/cards';
import { matches } from '@tallystick/events';
import { money } from '@tallystick/kernel';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';
import type { Table } from '../../storage/table.ts';

interface Activity {
  readonly reduced_at_ms: number | null;
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
}

/** The activity of cards: their authorizations and clearings, newest first. */
export function cardActivity({ authorizations, cards, clearings, events }: State) {
  /**
   * A message that changed the hold of a root has the status of its root. One that was declined, or
   * is about a declined one, changed none.
   */
  function withStatusOfRoot(row: Authorization): Authorization {
    const root = row.root_id === null ? undefined : authorizations.get(row.root_id);
    if (root === undefined || row.status === 'declined' || root.status === 'declined') return row;
    return { ...row, status: root.status };
  }

  return {
    async holdEnds(card_ids, now_ms) {
      const ends = new Map(card_ids.map((id): [number, HoldEnds] => [id, no_hold_ends]));
      for (const { card_id, held, hold_end_ms, window_start_ms } of authorizations.values().filter(isEndingHold)) {
        const known = ends.get(card_id);
        if (known === undefined) continue;
        if (cards.get(card_id)?.counters.window_start_ms !== window_start_ms) continue;
        const { held_past_end, next_hold_end_ms } = known;
        ends.set(
          card_id,
          hold_end_ms <= now_ms
            ? { held_past_end: money(held_past_end + held), next_hold_end_ms }
            : { held_past_end, next_hold_end_ms: Math.min(next_hold_end_ms ?? hold_end_ms, hold_end_ms) },
        );
      }
      return ends;
    },

    async newestAuthorizations(card_ids, limit) {
      const newest = newestOfEach(authorizations, card_ids, limit);
      return new Map(newest.map(([card_id, rows]) => [card_id, rows.map(withStatusOfRoot)]));
    },

    async newestClearings(card_ids, limit) {
      return new Map(newestOfEach(clearings, card_ids, limit));
    },

    async searchAuthorizations(company_id, { status, filters }, page) {
      const decided = events.values().filter((event) => {
        const is_of_company = (company_id ?? event.company_id) === event.company_id;
        return is_of_company && event.event_type === authorization_event_type;
      });
      const found = decided
        .filter((event) => filters.every((filter) => matches(event, filter)))
        .flatMap(({ id, payload }) => {
          const row = authorizations.get(Number(payload.id));
          if (row === undefined || row.reduced_at_ms !== null) return [];
          return [{ id, authorization: withStatusOfRoot(row), card: cards.get(row.card_id)! }];
        })
        .filter(({ authorization: { id, root_id, status: own } }) => {
          return status === undefined || (own === status && (own === 'declined' || root_id === id));
        });
      return newestFirst('found_authorizations', found, page);
    },

    async authorizations(company_id, card_id, page) {
      const { items, next } = newestFirst('authorizations', ofCard(authorizations, company_id, card_id), page);
      return { items: items.map(withStatusOfRoot), next };
    },

    async findAuthorization(company_id, id) {
      const row = authorizations.get(id);
      return row === undefined || row.company_id !== company_id ? null : withStatusOfRoot(row);
    },

    async clearings(company_id, card_id, page) {
      return newestFirst('clearings', ofCard(clearings, company_id, card_id), page);
    },

    async searchClearings(company_id, search, page) {
      const named = Object.entries(search).filter(([, value]) => value !== undefined);
      const found = clearings
        .values()
        .filter((row) => row.company_id === company_id && row.reduced_at_ms === null)
        .filter((row) => named.every(([name, value]) => row[name as keyof typeof search] === value));
      return newestFirst('found_clearings', found, page);
    },

    async findClearings(ids) {
      const found = [...new Set(ids)].flatMap((id) => clearings.get(id) ?? []);
      return found.filter(({ reduced_at_ms }) => reduced_at_ms === null).sort((a, b) => a.id - b.id);
    },
  } satisfies Partial<CardStore>;
}

function ofCard<Row extends Activity>(table: Table<Row>, company_id: number, card_id: number): readonly Row[] {
  const own = table.values().filter((row) => row.company_id === company_id && row.card_id === card_id);
  return own.filter(({ reduced_at_ms }) => reduced_at_ms === null);
}

function newestOfEach<Row extends Activity>(
  table: Table<Row>,
  card_ids: readonly number[],
  limit: number,
): readonly (readonly [number, readonly Row[]])[] {
  const kept = table.values().filter(({ reduced_at_ms }) => reduced_at_ms === null);
  const newest_first = kept.sort((a, b) => b.id - a.id);
  const of_card = Map.groupBy(newest_first, ({ card_id }) => card_id);
  return card_ids.map((card_id) => [card_id, of_card.get(card_id)?.slice(0, limit) ?? []] as const);
}
