import type { CandidateKey, HistorySearch, WindowKey } from '@tallystick/cards';
import { type NamedQuery, named } from '../connection/postgres/named-query.ts';
import { done_statuses_sql, lookedUp } from '../schema/look-ups.ts';
import {
  firstHoldAfter,
  hold_range,
  page_range,
  reduced_range,
  referenceRange,
  traceRange,
} from '../schema/records/authorization-keys.ts';
import { authorization_columns, selectList } from '../schema/records/record-rows.ts';

/** A clearing message whose roots are asked for. */
export interface ReferenceSearch {
  /** Hexadecimal. */
  readonly number_index: string | null;
  readonly vcn_id: number | null;
  readonly keys: readonly CandidateKey[];
}

/** A search through the recent history of a card. */
export interface CardSearch extends HistorySearch {
  readonly card_id: number;
}

const authorizations = selectList(authorization_columns, 'a');

/**
 * The authorizations `a` of the keys `k` that meet a condition, as the `from` of a query. `end`
 * orders and limits the keys.
 */
function keyed(condition: string, end?: string): string {
  return `${lookedUp('tallystick_authorization_keys k', condition, end)} k
    cross join lateral ${lookedUp('tallystick_authorizations', 'id = k.authorization_id')} a`;
}

const counter = (column: 'held' | 'cleared' | 'uses') => `coalesce(c.${column}, 0) as ${column}`;
const windows = `select w.card_id, w.window_start_ms, ${counter('held')}, ${counter('cleared')}, ${counter('uses')}
  from unnest($1::bigint[], $2::bigint[]) as w (card_id, window_start_ms)
  left join lateral ${lookedUp('tallystick_card_windows', 'card_id = w.card_id and window_start_ms = w.window_start_ms')} c on true`;

/** How a pass finds authorizations, by `authorization_keys`. Rows may repeat. */
export const postgres_lookups = {
  /**
   * The recorded messages with a trace id on the card of a number. The two lists have the same
   * length and order.
   */
  traces(number_indexes: readonly Uint8Array[], trace_ids: readonly string[]): NamedQuery {
    const ranges = trace_ids.map(traceRange);
    return named(
      'ledger_traces',
      `select ${authorizations} from unnest($1::bytea[], $2::text[], $3::text[]) as m (number_index, low, high)
         cross join lateral ${lookedUp('tallystick_virtual_cards', 'number_index = m.number_index')} v
         cross join lateral ${keyed('k.card_id = v.id and k.key >= m.low and k.key < m.high')}`,
      [number_indexes, ranges.map(({ low }) => low), ranges.map(({ high }) => high)],
    );
  },

  /** The holds of the cards whose end has come, and the next hold of each card to end. */
  holdsDueAndNext(card_ids: readonly number[], now_ms: number): NamedQuery {
    const holds = (condition: string, end?: string) =>
      `select ${authorizations} from ${keyed(`k.card_id = c.id and ${condition}`, end)}`;
    return named(
      'ledger_holds_due',
      `select a.* from unnest($1::bigint[]) as c (id) cross join lateral (
         (${holds(`k.key >= '${hold_range.low}' and k.key < $2`)})
         union all (${holds(`k.key >= $2 and k.key < '${hold_range.high}'`, 'order by k.key limit 1')})
       ) a`,
      [card_ids, firstHoldAfter(now_ms)],
    );
  },

  /** The roots that share a key with these clearings. */
  rootsByReference(messages: readonly ReferenceSearch[]): NamedQuery {
    const asked = messages.flatMap(({ number_index, vcn_id, keys }) =>
      keys.flatMap((key) => {
        const range = referenceRange(key);
        return range === null ? [] : [{ number_index, vcn_id, ...range }];
      }),
    );
    return named(
      'ledger_root_candidates',
      `select ${authorizations} from (
         select m.*, coalesce(m.vcn_id, (select v.id from tallystick_virtual_cards v where v.number_index = decode(m.number_index, 'hex'))) as card_id
           from json_to_recordset($1::json) as m (number_index text, vcn_id bigint, low text, high text)
         ) m
         cross join lateral ${keyed('k.card_id = m.card_id and k.key >= m.low and k.key < m.high')}
         where a.root_id = a.id`,
      [JSON.stringify(asked)],
    );
  },

  /** The roots that the searches find, one search for each card. */
  rootsOfMerchants(searches: readonly CardSearch[]): NamedQuery {
    // Ids and times of one card rise together, so the last row before `since_ms` bounds the rows to
    // read.
    const since = `coalesce((
      select k.key from tallystick_authorization_keys k where k.card_id = m.card_id and k.key >= r.low and k.key < r.high
        and (select decided_at_ms from tallystick_authorizations where id = k.authorization_id) < m.since_ms
      order by k.key desc limit 1), r.low)`;
    const ranges = [page_range, reduced_range].map(({ low, high }) => `('${low}', '${high}')`);
    return named(
      'ledger_recent_roots',
      `select ${authorizations} from json_to_recordset($1::json) as m (card_id bigint, merchant_ids text[], since_ms bigint,
           amounts bigint[], is_credit boolean)
         cross join (values ${ranges.join(', ')}) as r (low, high)
         cross join lateral ${keyed(`k.card_id = m.card_id and k.key > ${since} and k.key < r.high`)}
         where a.merchant_id = any(m.merchant_ids) and a.root_id = a.id
           and (m.is_credit or a.status not in ${done_statuses_sql})
           and (a.merchant_amount = any(m.amounts) or a.billing_amount = any(m.amounts) or a.authorized = any(m.amounts))`,
      [JSON.stringify(searches)],
    );
  },

  /** The counters of past windows, one row for each key. */
  windows: (keys: readonly WindowKey[]): NamedQuery =>
    named('ledger_windows', windows, [
      keys.map(({ card_id }) => card_id),
      keys.map(({ window_start_ms }) => window_start_ms),
    ]),
};
