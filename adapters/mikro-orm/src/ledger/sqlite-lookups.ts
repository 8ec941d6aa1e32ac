import type { CandidateKey, HistorySearch } from '@tallystick/cards';
import type { Database } from 'better-sqlite3';
import { done_statuses_sql, listed, searchParameters } from '../schema/look-ups.ts';
import {
  firstHoldAfter,
  hold_range,
  page_range,
  reduced_range,
  referenceRange,
  traceRange,
} from '../schema/records/authorization-keys.ts';
import { type AuthorizationRow, authorization_columns, selectList } from '../schema/records/record-rows.ts';

/** How a pass finds the authorizations of a card on SQLite. */
export type SqliteLookups = ReturnType<typeof sqliteLookups>;

export function sqliteLookups(database: Database) {
  const columns = selectList(authorization_columns, 'a');
  // `cross join` keeps this order of the tables.
  const keyed = `select ${columns} from tallystick_authorization_keys k cross join tallystick_authorizations a on a.id = k.authorization_id`;
  const in_range = 'k.card_id = ? and k.key >= ? and k.key < ?';
  const sql = <Parameters extends unknown[]>(text: string) => database.prepare<Parameters, AuthorizationRow>(text);
  const by_range = sql<[number, string, string]>(`${keyed} where ${in_range}`);
  const first_by_range = sql<[number, string, string]>(`${keyed} where ${in_range} order by k.key limit 1`);
  const roots_by_range = sql<[number, string, string]>(`${keyed} where ${in_range} and a.root_id = a.id`);
  // `}` is the character after `|`, with which these keys end.
  const ids_by_lows = database
    .prepare<[string, number], number>(
      `select k.authorization_id from json_each(?) j cross join tallystick_authorization_keys k
         where k.card_id = ? and k.key >= j.value and k.key < substr(j.value, 1, length(j.value) - 1) || '}'`,
    )
    .pluck();
  const any_in_range = database
    .prepare<[number, string, string]>(`select 1 from tallystick_authorization_keys k where ${in_range} limit 1`)
    .pluck();
  // Ids and times of one card rise together, so the last row before `since_ms` bounds the rows to
  // read.
  const of_merchants = sql<[object]>(
    `${keyed} where k.card_id = $card_id and k.key < $high and k.key > coalesce((
         select e.key from tallystick_authorization_keys e cross join tallystick_authorizations b on b.id = e.authorization_id
         where e.card_id = $card_id and e.key >= $low and e.key < $high
           and b.decided_at_ms < $since_ms
         order by e.key desc limit 1), $low)
       and a.merchant_id in ${listed('$merchant_ids')} and a.root_id = a.id
       and (a.merchant_amount in ${listed('$amounts')} or a.billing_amount in ${listed('$amounts')}
         or a.authorized in ${listed('$amounts')})
       and ($is_credit or a.status not in ${done_statuses_sql})`,
  );
  return {
    /** The card's messages with the trace id. */
    byTrace(card_id: number, trace_id: string): AuthorizationRow[] {
      const { low, high } = traceRange(trace_id);
      return by_range.all(card_id, low, high);
    },
    /** The card's holds whose end has come, and the next one to end. */
    holdsDueAndNext(card_id: number, now_ms: number): AuthorizationRow[] {
      const later = firstHoldAfter(now_ms);
      return [...by_range.all(card_id, hold_range.low, later), ...first_by_range.all(card_id, later, hold_range.high)];
    },
    rootsByReference(card_id: number, key: CandidateKey): AuthorizationRow[] {
      const range = referenceRange(key);
      return range === null ? [] : roots_by_range.all(card_id, range.low, range.high);
    },
    rootIdsByReferences(card_id: number, keys: readonly CandidateKey[]): number[] {
      const lows = keys.flatMap((key) => referenceRange(key)?.low ?? []);
      return lows.length === 0 ? [] : ids_by_lows.all(JSON.stringify(lows), card_id);
    },
    rootsOfMerchants(card_id: number, search: HistorySearch): AuthorizationRow[] {
      const parameters = { card_id, ...searchParameters(search) };
      const found = of_merchants.all({ ...parameters, ...page_range });
      const { low, high } = reduced_range;
      if (any_in_range.get(card_id, low, high) === undefined) return found;
      return [...found, ...of_merchants.all({ ...parameters, ...reduced_range })];
    },
  };
}
