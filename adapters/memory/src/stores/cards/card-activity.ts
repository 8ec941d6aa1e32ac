import type { Authorization, CardStore } from '@tallystick/cards';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';
import type { Table } from '../../storage/table.ts';

type CardActivity = Pick<
  CardStore,
  | 'heldPastEnd'
  | 'newestAuthorizations'
  | 'newestClearings'
  | 'authorizations'
  | 'findAuthorization'
  | 'clearings'
  | 'findClearings'
>;

interface Activity {
  readonly reduced_at_ms: number | null;
  readonly id: number;
  readonly company_id: number;
  readonly card_id: number;
}

/** The activity of cards: their authorizations and clearings, newest first. */
export function cardActivity({ authorizations, cards, clearings }: State): CardActivity {
  /**
   * A message that changed the hold of a root has the status of its root, unless it was declined.
   */
  function withStatusOfRoot(row: Authorization): Authorization {
    if (row.status === 'declined' || row.root_id === null) return row;
    return { ...row, status: authorizations.get(row.root_id)?.status ?? row.status };
  }

  return {
    async heldPastEnd(card_ids, now_ms) {
      const sums = new Map<number, number>();
      for (const { card_id, status, held, hold_end_ms, window_start_ms } of authorizations.values()) {
        const is_open = status === 'open' || status === 'partially_cleared';
        if (!card_ids.includes(card_id) || !is_open || hold_end_ms === null || hold_end_ms > now_ms) continue;
        if (cards.get(card_id)?.counters.window_start_ms !== window_start_ms) continue;
        sums.set(card_id, (sums.get(card_id) ?? 0) + held);
      }
      return sums;
    },

    async newestAuthorizations(card_ids, limit) {
      const newest = newestOfEach(authorizations, card_ids, limit);
      return new Map(newest.map(([card_id, rows]) => [card_id, rows.map(withStatusOfRoot)]));
    },

    async newestClearings(card_ids, limit) {
      return new Map(newestOfEach(clearings, card_ids, limit));
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

    async findClearings(ids) {
      const found = [...new Set(ids)].flatMap((id) => clearings.get(id) ?? []);
      return found.filter(({ reduced_at_ms }) => reduced_at_ms === null).sort((a, b) => a.id - b.id);
    },
  };
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
