import { type CandidateKey, type HistorySearch, partsOfKey, type WindowKey } from '@tallystick/cards';
import { type NamedQuery, named } from '../connection/named-query.ts';
import { done_statuses_sql, networkReferenceSql } from '../schema/candidate-sql.ts';
import { authorization_columns, selectList } from '../schema/record-rows.ts';
import { windowLists, windowsOnPostgres } from '../schema/window-sums.ts';

const authorizations = selectList(authorization_columns, 'a');
const windows = windowsOnPostgres((card_id) => `authorizations s where s.card_id = ${card_id}`);
const open_aging = `a.hold_end_ms is not null and a.status in ('open', 'partially_cleared') and a.held > 0`;

/**
 * The lookups of a pass on Postgres by the five indexes of before `authorization_keys`, until the
 * keys of all authorizations are copied.
 */
export const postgres_lookups_before_keys = {
  traces(number_indexes: readonly Uint8Array[], trace_ids: readonly string[]): NamedQuery {
    return named(
      'ledger_traces_before_keys',
      `select ${authorizations} from unnest($1::bytea[], $2::text[]) as m (number_index, trace_id)
         join virtual_cards v on v.number_index = m.number_index
         join authorizations a on a.card_id = v.id and a.trace_id = m.trace_id`,
      [number_indexes, trace_ids],
    );
  },

  holdsDueAndNext(card_ids: readonly number[], now_ms: number): NamedQuery {
    const holds = (which: string) =>
      `select ${authorizations} from authorizations a where a.card_id = k.id and ${open_aging} and ${which}`;
    return named(
      'ledger_holds_due_before_keys',
      `select a.* from unnest($1::bigint[]) as k (id) cross join lateral (
         (${holds('a.hold_end_ms <= $2::bigint')})
         union all (${holds('a.hold_end_ms > $2::bigint')} order by a.hold_end_ms limit 1)
       ) a`,
      [card_ids, now_ms],
    );
  },

  rootsByReference(
    messages: readonly {
      readonly number_index: string | null;
      readonly vcn_id: number | null;
      readonly keys: readonly CandidateKey[];
    }[],
  ): NamedQuery {
    const root = (which: string) =>
      `select ${authorizations} from authorizations a where a.card_id = m.card_id and a.root_id = a.id and ${which}`;
    return named(
      'ledger_root_candidates_before_keys',
      `select a.* from (
         select m.*, coalesce(m.vcn_id, (select v.id from virtual_cards v where v.number_index = decode(m.number_index, 'hex'))) as card_id
           from json_to_recordset($1::json) as m (number_index text, vcn_id bigint, approval_code text, network_reference text)
       ) m cross join lateral (
         ${root('a.approval_code = m.approval_code')}
         union all ${root(`${networkReferenceSql('a.net_reference_number')} = m.network_reference and a.net_reference_number is not null`)}
       ) a`,
      [
        JSON.stringify(
          messages.flatMap(({ number_index, vcn_id, keys }) =>
            keys.map(partsOfKey).map(({ kind, value }) => ({ number_index, vcn_id, [kind]: value })),
          ),
        ),
      ],
    );
  },

  rootsOfMerchants(searches: readonly (HistorySearch & { readonly card_id: number })[]): NamedQuery {
    // Ids and times of one card rise together, so the last row before `since_ms` bounds the rows to
    // read.
    return named(
      'ledger_recent_roots_before_keys',
      `select ${authorizations} from json_to_recordset($1::json) as m (card_id bigint, merchant_ids text[], since_ms bigint,
           amounts bigint[], is_credit boolean)
         cross join lateral (
           select * from authorizations c where c.card_id = m.card_id and c.merchant_id = any(m.merchant_ids)
             and c.root_id = c.id and (m.is_credit or c.status not in ${done_statuses_sql})
             and (c.merchant_amount = any(m.amounts) or c.billing_amount = any(m.amounts)
               or c.authorized = any(m.amounts))
             and c.id > coalesce((select b.id from authorizations b where b.card_id = m.card_id
               and b.decided_at_ms < m.since_ms order by b.id desc limit 1), 0)
         ) a`,
      [JSON.stringify(searches)],
    );
  },

  windows: (keys: readonly WindowKey[]): NamedQuery =>
    named('ledger_windows_before_keys', windows, [...windowLists(keys)]),
};
