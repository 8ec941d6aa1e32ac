import { isFeeLine } from '@tallystick/accounts';
import { assert, money } from '@tallystick/kernel';
import {
  type AuthorizationFields,
  authorizedPurchaseOf,
  type CardCurrencies,
  type CardLine,
  type ClearedAmount,
  type ClearingFields,
  clearedAmountOf,
  type ReconciliationStore,
  type StatementKeySetting,
  statementKeyOf,
} from '@tallystick/reconciliation';
import { has_item_sql } from '../../schema/tables/accounts.ts';
import { inPieces, type Queries } from './query.ts';

/** The authorizations, clearings and card lines that items are made of. */
export function recordReads(queries: Queries, setting: StatementKeySetting) {
  const { is_postgres, preferIndexes, all, each, list, from_ids } = queries;
  const purchase_columns = `a.id, a.company_id, a.card_id, a.authorized, a.cleared, a.billing_amount, a.merchant_amount,
      a.merchant_currency, a.approval_code, a.merchant_id, a.net_reference_number, a.transaction_date_time_ms, a.status,
      a.uncleared_status, a.hold_end_ms, a.decided_at_ms,
      ${queries.field('a.details', 'merchant_name')} as merchant_name,
      ${queries.field('a.details', 'card_holder_transaction_type_code')} as card_holder_transaction_type_code,
      r.billing_currency, v.currency as limit_currency`;
  const purchases_sql = each(
    from_ids,
    'a',
    purchase_columns,
    'tallystick_authorizations a cross join tallystick_virtual_cards v cross join tallystick_real_cards r',
    `a.id = j.value and +a.company_id = ? and a.root_id = a.id and a.decline_code is null
      and v.id = a.card_id and r.id = v.rcn_id`,
  );
  // Only what stands alone and needs a review may be a tie, which depends on the card.
  const clearing_columns = `c.id, c.company_id, c.card_id, c.network_financial_transaction_id, c.authorization_id,
      c.clearing_id, c.cycle, c.clearing_type, c.class, c.match_rule, c.review, c.choices, c.partial, c.billing_amount,
      c.billing_currency, c.merchant_amount, c.merchant_currency, c.approval_code, c.merchant_id,
      c.net_reference_number, c.sent, c.cleared_effect, c.settlement_date, c.acquirer_reference_data, c.recorded_at_ms, ${queries.field('c.details', 'merchant_name')} as merchant_name,
      case when c.review and c.authorization_id is null and c.clearing_id is null
        then (select v.currency from tallystick_virtual_cards v where v.id = c.card_id) end as limit_currency`;
  const clearings_sql = each(
    from_ids,
    'c',
    clearing_columns,
    'tallystick_clearings c',
    'c.id = j.value and +c.company_id = ?',
  );
  const clearing_ids_sql = each(from_ids, 'c', 'c.id', 'tallystick_clearings c', 'c.authorization_id = j.value');
  const referring_sql = each(
    from_ids,
    'c',
    clearing_columns,
    'tallystick_clearings o cross join tallystick_clearings c',
    'o.id = j.value and c.card_id = o.card_id and c.clearing_id = o.id and c.company_id = ?',
  );
  const lines_sql = each(
    from_ids,
    'l',
    `l.id, l.company_id, l.account_id, l.currency, l.amount, l.bai_code, l.booking_date, l.bank_reference,
      l.acquirer_reference, l.text, l.standing, l.recorded_at_ms,
      case when l.standing = 'differs' then coalesce(${stated('>=', 'asc')}, ${stated('<', 'desc')}) end as statement_line_id`,
    'tallystick_statement_lines l',
    'l.id = j.value and +l.company_id = ?',
  );
  const clearingsBy = (sql: string, company_id: number, ids: readonly number[]) =>
    inPieces(ids, async (piece) => {
      const rows = await all<ClearingRow>(sql, list(piece), company_id);
      return rows.map((row) => clearingOf(row, setting));
    });
  return {
    authorizations: (company_id, ids) =>
      inPieces(ids, async (piece) => {
        const rows = await all<AuthorizationFields & CardCurrencies>(purchases_sql, list(piece), company_id);
        return rows.map((row) => authorizedPurchaseOf(row, row));
      }),
    clearings: (company_id, ids) => clearingsBy(clearings_sql, company_id, ids),
    clearingIdsOf: (authorization_ids) =>
      inPieces(authorization_ids, async (piece) => {
        const rows = await all<{ id: number }>(clearing_ids_sql, list(piece));
        return rows.map(({ id }) => id);
      }),
    clearingsReferring: (company_id, ids) => clearingsBy(referring_sql, company_id, ids),
    lines: (company_id, ids) =>
      inPieces(ids, async (piece) => {
        const rows = await all<LineRow>(lines_sql, list(piece), company_id);
        return rows.map((row) => lineOf(row, setting));
      }),
    async recordsAfter(company_id, kind, after, limit) {
      await preferIndexes();
      if (kind === 'authorization') {
        // No index has all authorizations of a card in an order.
        const rows = await all<{ id: number }>(
          `select id from tallystick_authorizations
            where root_id = id and decline_code is null and id > ? and company_id = ? order by id limit ?`,
          after,
          company_id,
          limit,
        );
        return rows.map(({ id }) => id);
      }
      const walk = record_walks[kind];
      const ids: number[] = [];
      let owner_id = 0;
      if (after !== 0) {
        const [place] = await all<{ owner_id: number; booking_date: string }>(walk.place, after);
        assert(place !== undefined, `${kind} ${after}, after which records are walked, does not exist`);
        owner_id = place.owner_id;
        const dates = kind === 'line' ? [place.booking_date] : [];
        const rest = await all<{ id: number }>(walk.rest, owner_id, ...dates, after, owner_id, limit);
        ids.push(...rest.map(({ id }) => id));
      }
      if (ids.length === limit) return ids;
      const wanted = limit - ids.length;
      const of_others = is_postgres
        ? await all<{ id: number }>(walk.others_on_postgres, wanted, company_id, owner_id, wanted)
        : await all<{ id: number }>(walk.others_on_sqlite, company_id, owner_id, wanted);
      return [...ids, ...of_others.map(({ id }) => id)];
    },
  } satisfies Partial<ReconciliationStore>;
}

/** The line of a statement with the reference of `l`, on dates at this side of its own. */
function stated(side: '>=' | '<', order: 'asc' | 'desc'): string {
  return `(select o.id from tallystick_statement_lines o where o.account_id = l.account_id
    and o.bank_reference = l.bank_reference and o.statement_id is not null and o.booking_date ${side} l.booking_date
    order by o.booking_date ${order}, abs(o.amount - l.amount), o.bai_code, o.occurrence limit 1)`;
}

/**
 * How clearings and lines with items of a company are walked: by the card or account that has them,
 * in the order of an index. By their ids the records of all companies would be read.
 */
const record_walks = {
  clearing: walkBy('tallystick_virtual_cards', 'tallystick_clearings', 'card_id', ['id'], 'true'),
  line: walkBy('tallystick_accounts', 'tallystick_statement_lines', 'account_id', ['booking_date', 'id'], has_item_sql),
};

function walkBy(owners: string, records: string, owner: string, order: readonly string[], condition: string) {
  // With the owner in the order, no index of ids fits, by which the records of others are read.
  const ordered = [owner, ...order].map((column) => `r.${column}`);
  const marks = ordered.map(() => '?');
  return {
    place: `select ${[...order, `${owner} as owner_id`]} from ${records} where id = ?`,
    rest: `select r.id from ${records} r where (${ordered}) > (${marks}) and r.${owner} <= ?
      and ${condition} order by ${ordered} limit ?`,
    others_on_sqlite: `select r.id from ${owners} o cross join ${records} r
      where o.company_id = ? and o.id > ? and r.${owner} = o.id and ${condition} order by o.id, ${order.map((column) => `r.${column}`)} limit ?`,
    others_on_postgres: `select l.id from ${owners} o cross join lateral (select ${order} from ${records} r
        where r.${owner} >= o.id and r.${owner} <= o.id and ${condition} order by ${ordered} limit ?) l
      where o.company_id = ? and o.id > ? order by o.id, ${order.map((column) => `l.${column}`)} limit ?`,
  };
}

type ClearingRow = Omit<ClearingFields, 'review' | 'partial' | 'sent' | 'choices'> &
  Pick<CardCurrencies, 'limit_currency'> & {
    readonly review: boolean | 0 | 1;
    readonly partial: boolean | 0 | 1;
    readonly sent: string | null;
    readonly choices: string | null;
  };

function clearingOf(row: ClearingRow, setting: StatementKeySetting): ClearedAmount {
  const fields = {
    ...row,
    review: Boolean(row.review),
    partial: Boolean(row.partial),
    sent: row.sent === null ? null : JSON.parse(row.sent),
    choices: row.choices === null ? null : JSON.parse(row.choices),
  };
  return clearedAmountOf(fields, row, setting);
}

type LineRow = Omit<CardLine, 'is_fee' | 'statement_key'>;

function lineOf(row: LineRow, setting: StatementKeySetting): CardLine {
  const statement_key = statementKeyOf(row.acquirer_reference, setting);
  return { ...row, amount: money(-row.amount), is_fee: isFeeLine(row), statement_key };
}
