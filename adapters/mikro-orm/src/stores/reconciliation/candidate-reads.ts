import { asSent, type CandidateRecords, type Clearing, type MatchCard, referenceKeys } from '@tallystick/cards';
import { candidates_read_max, type ReconciliationStore, searched_roots_max } from '@tallystick/reconciliation';
import type { Dialect } from '../../schema/dialect.ts';
import { lookedUp } from '../../schema/look-ups.ts';
import { page_range, referenceRange } from '../../schema/records/authorization-keys.ts';
import {
  type AuthorizationRow,
  authorization_columns,
  authorizationOf,
  type ClearingRow,
  clearing_columns,
  clearingOf,
  selectList,
} from '../../schema/records/record-rows.ts';
import type { Queries } from './query.ts';

const roots_list = selectList(authorization_columns, 'a');
const clearings_list = selectList(clearing_columns, 'c');

/** What the authorizations of clearings are found among. */
export function candidateReads(queries: Queries, dialect: Dialect): Pick<ReconciliationStore, 'candidateRecords'> {
  const { all, each, list, from_ids } = queries;
  const card_sql = `select v.currency, r.billing_currency, v.authorization_hold_days, v.aging_velocity_time_zone
    from tallystick_virtual_cards v join tallystick_real_cards r on r.id = v.rcn_id where v.id = ?`;
  const clearings_sql = each(
    from_ids,
    'c',
    clearings_list,
    'tallystick_clearings c',
    'c.id = j.value and +c.company_id = ?',
  );
  const of_roots_sql = `${each(from_ids, 'c', clearings_list, 'tallystick_clearings c', 'c.authorization_id = j.value')} limit ?`;
  // In this order on both databases: the keys first, then each authorization by its id.
  const roots =
    dialect === 'postgres'
      ? `cross join lateral ${lookedUp('tallystick_authorizations', 'id = k.authorization_id')} a where a.root_id = a.id`
      : 'cross join tallystick_authorizations a where a.id = k.authorization_id and a.root_id = a.id';
  const in_range = 'card_id = ? and key >= ? and key < ?';
  const by_key_sql = `select ${roots_list} from
    (select authorization_id from tallystick_authorization_keys where ${in_range} order by key desc limit ?) k ${roots}`;
  const by_merchant_sql = `${by_key_sql} and a.merchant_id = ?
    and (a.merchant_amount in (?, ?) or a.billing_amount in (?, ?) or a.authorized in (?, ?)) limit ?`;

  async function rootsOf(clearing: Clearing): Promise<CandidateRecords['roots']> {
    const message = asSent(clearing);
    const { card_id, merchant_id, billing_amount, merchant_amount } = message;
    const rows: AuthorizationRow[] = [];
    for (const key of referenceKeys(message)) {
      const range = referenceRange(key);
      if (range === null) continue;
      rows.push(...(await all<AuthorizationRow>(by_key_sql, card_id, range.low, range.high, candidates_read_max)));
    }
    if (merchant_id !== null) {
      const amounts = [merchant_amount ?? billing_amount, billing_amount];
      const { low, high } = page_range;
      const newest = [card_id, low, high, searched_roots_max];
      const found = [merchant_id, ...amounts, ...amounts, ...amounts, candidates_read_max];
      rows.push(...(await all<AuthorizationRow>(by_merchant_sql, ...newest, ...found)));
    }
    return [...new Map(rows.map((row) => [row.id, authorizationOf(row)])).values()];
  }

  return {
    async candidateRecords(company_id, clearing_ids) {
      const records: CandidateRecords[] = [];
      for (const row of await all<ClearingRow>(clearings_sql, list(clearing_ids), company_id)) {
        const clearing = clearingOf(row);
        const [card] = await all<MatchCard>(card_sql, clearing.card_id);
        const found = await rootsOf(clearing);
        const of_roots = await all<ClearingRow>(of_roots_sql, list(found.map(({ id }) => id)), candidates_read_max);
        records.push({ clearing, card: card!, roots: found, clearings: of_roots.map(clearingOf) });
      }
      return records;
    },
  };
}
