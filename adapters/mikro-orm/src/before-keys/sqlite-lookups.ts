import type { CandidateKey, CandidateKeyKind, HistorySearch } from '@tallystick/cards';
import { partsOfKey } from '@tallystick/cards';
import type { Database } from 'better-sqlite3';
import { done_statuses_sql, listed, networkReferenceSql, searchParameters } from '../schema/candidate-sql.ts';
import { type AuthorizationRow, authorization_columns, selectList } from '../schema/record-rows.ts';
import { windowSumsOnSqlite } from '../schema/window-sums.ts';

/**
 * The lookups of a pass on SQLite by the five indexes of before `authorization_keys`, until the
 * keys of all authorizations are copied.
 */
export function sqliteLookupsBeforeKeys(database: Database) {
  const authorizations = `select ${selectList(authorization_columns, 'a')} from authorizations a`;
  const open_aging = `a.hold_end_ms is not null and a.status in ('open', 'partially_cleared') and a.held > 0`;
  const root = 'a.root_id = a.id';
  const sql = <Parameters extends unknown[]>(text: string) => database.prepare<Parameters, AuthorizationRow>(text);
  const by_trace = sql<[number, string]>(`${authorizations} where a.card_id = ? and a.trace_id = ?`);
  const due = sql<[number, number]>(`${authorizations} where a.card_id = ? and ${open_aging} and a.hold_end_ms <= ?`);
  const next = sql<[number, number]>(
    `${authorizations} where a.card_id = ? and ${open_aging} and a.hold_end_ms > ? order by a.hold_end_ms limit 1`,
  );
  // The conditions on the network reference repeat those of its index.
  const roots_by = {
    acquirer_reference_data: null,
    approval_code: sql<[number, string]>(`${authorizations} where a.card_id = ? and a.approval_code = ? and ${root}`),
    network_reference: sql<[number, string]>(
      `${authorizations} where a.card_id = ? and a.net_reference_number is not null
         and ${networkReferenceSql('a.net_reference_number')} = ? and ${root}`,
    ),
  } satisfies Record<CandidateKeyKind, unknown>;
  // Ids and times of one card rise together, so the last row before `since_ms` bounds the rows to
  // read.
  const of_merchants = sql<[object]>(
    `${authorizations} where card_id = $card_id and id > coalesce((select id from authorizations
         where card_id = $card_id and decided_at_ms < $since_ms order by id desc limit 1), 0)
       and merchant_id in ${listed('$merchant_ids')} and ${root}
       and (a.merchant_amount in ${listed('$amounts')} or a.billing_amount in ${listed('$amounts')}
         or a.authorized in ${listed('$amounts')})
       and ($is_credit or a.status not in ${done_statuses_sql})`,
  );
  return {
    byTrace: (card_id: number, trace_id: string) => by_trace.all(card_id, trace_id),
    holdsDueAndNext: (card_id: number, now_ms: number) => [...due.all(card_id, now_ms), ...next.all(card_id, now_ms)],
    rootsByReference(card_id: number, key: CandidateKey) {
      const { kind, value } = partsOfKey(key);
      return roots_by[kind]?.all(card_id, value) ?? [];
    },
    rootsOfMerchants: (card_id: number, search: HistorySearch) =>
      of_merchants.all({ card_id, ...searchParameters(search) }),
    windowSums: windowSumsOnSqlite(database, (card_id) => `authorizations s where s.card_id = ${card_id}`),
  };
}
