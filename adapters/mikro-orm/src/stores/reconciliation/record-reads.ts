import { card_line_codes, fee_line_codes } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';
import {
  type AuthorizationFields,
  authorizedPurchaseOf,
  type CardCurrencies,
  type CardLine,
  type ClearedAmount,
  type ClearingFields,
  clearedAmountOf,
  type ReconciliationStore,
} from '@tallystick/reconciliation';
import type { Queries } from './query.ts';

type RecordReads = Pick<
  ReconciliationStore,
  'authorizations' | 'clearings' | 'clearingIdsOf' | 'clearingsReferring' | 'lines' | 'recordsAfter'
>;

/** The authorizations, clearings and card lines that items are made of. */
export function recordReads(queries: Queries): RecordReads {
  const { all, each, list, from_ids } = queries;
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
    'authorizations a cross join virtual_cards v cross join real_cards r',
    `a.id = j.value and a.company_id = ? and a.root_id = a.id and a.decline_code is null
      and v.id = a.card_id and r.id = v.rcn_id`,
  );
  // Only what stands alone and needs a review may be a tie, which depends on the card.
  const clearing_columns = `c.id, c.company_id, c.card_id, c.network_financial_transaction_id, c.authorization_id,
      c.clearing_id, c.cycle, c.clearing_type, c.class, c.match_rule, c.review, c.choices, c.partial, c.billing_amount,
      c.billing_currency, c.merchant_amount, c.merchant_currency, c.approval_code, c.merchant_id,
      c.net_reference_number, c.sent, c.cleared_effect, c.settlement_date, c.acquirer_reference_data, c.recorded_at_ms, ${queries.field('c.details', 'merchant_name')} as merchant_name,
      case when c.review and c.authorization_id is null and c.clearing_id is null
        then (select v.currency from virtual_cards v where v.id = c.card_id) end as limit_currency`;
  return {
    async authorizations(company_id, ids) {
      if (ids.length === 0) return [];
      const rows = await all<AuthorizationFields & CardCurrencies>(purchases_sql, list(ids), company_id);
      return rows.map((row) => authorizedPurchaseOf(row, row));
    },
    async clearings(company_id, ids) {
      if (ids.length === 0) return [];
      const rows = await all<ClearingRow>(
        each(from_ids, 'c', clearing_columns, 'clearings c', 'c.id = j.value and c.company_id = ?'),
        list(ids),
        company_id,
      );
      return rows.map(clearingOf);
    },
    async clearingIdsOf(authorization_ids) {
      if (authorization_ids.length === 0) return [];
      const rows = await all<{ id: number }>(
        each(from_ids, 'c', 'c.id', 'clearings c', 'c.authorization_id = j.value'),
        list(authorization_ids),
      );
      return rows.map(({ id }) => id);
    },
    async clearingsReferring(company_id, to) {
      if (to.length === 0) return [];
      const rows = await all<ClearingRow>(
        each(
          from_ids,
          'c',
          clearing_columns,
          'clearings o cross join clearings c',
          'o.id = j.value and c.card_id = o.card_id and c.clearing_id = o.id and c.company_id = ?',
        ),
        list(to.map(({ id }) => id)),
        company_id,
      );
      return rows.map(clearingOf);
    },
    async lines(company_id, ids) {
      if (ids.length === 0) return [];
      const rows = await all<LineRow>(
        each(
          from_ids,
          'l',
          `l.id, l.company_id, l.account_id, l.currency, l.amount, l.bai_code, l.booking_date, l.bank_reference,
            l.acquirer_reference, l.text, l.recorded_at_ms`,
          'statement_lines l',
          `l.id = j.value and l.company_id = ? and l.bai_code in (${card_codes})`,
        ),
        list(ids),
        company_id,
      );
      return rows.map(lineOf);
    },
    async recordsAfter(company_id, kind, after, limit) {
      const rows = await all<{ id: number }>(
        `select id from ${record_tables[kind]} and id > ? and company_id = ? order by id limit ?`,
        after,
        company_id,
        limit,
      );
      return rows.map(({ id }) => id);
    },
  };
}

const quoted = (codes: readonly string[]) => codes.map((code) => `'${code}'`).join(', ');
const card_codes = quoted(card_line_codes);

/** The records that can have an item. */
const record_tables = {
  authorization: `authorizations where root_id = id and decline_code is null`,
  clearing: 'clearings where true',
  line: `statement_lines where bai_code in (${card_codes})`,
};

/** A clearing as the drivers return it. */
type ClearingRow = Omit<ClearingFields, 'review' | 'partial' | 'sent' | 'choices'> &
  Pick<CardCurrencies, 'limit_currency'> & {
    readonly review: boolean | 0 | 1;
    readonly partial: boolean | 0 | 1;
    readonly sent: string | null;
    readonly choices: string | null;
  };

function clearingOf(row: ClearingRow): ClearedAmount {
  const fields = {
    ...row,
    review: Boolean(row.review),
    partial: Boolean(row.partial),
    sent: row.sent === null ? null : JSON.parse(row.sent),
    choices: row.choices === null ? null : JSON.parse(row.choices),
  };
  return clearedAmountOf(fields, row);
}

type LineRow = Omit<CardLine, 'is_fee'>;

const fee_codes: ReadonlySet<string> = new Set(fee_line_codes);

function lineOf(row: LineRow): CardLine {
  return { ...row, amount: money(-row.amount), is_fee: fee_codes.has(row.bai_code) };
}
