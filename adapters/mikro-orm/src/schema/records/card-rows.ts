import type { LedgerCard } from '@tallystick/cards';
import { holdDaysOf } from '../tables/access.ts';

/**
 * The columns of a card that a pass reads, from `virtual_cards` (v), `real_cards` (r) and
 * `companies` (o). The template comes from `TemplateRules`.
 */
export const card_columns = `v.id, v.company_id, v.rcn_id, r.alias as rcn_alias, r.billing_currency, v.template_id,
  v.status, v.frozen_at_ms, v.last4, v.expiry, v.number_index, v.per_transaction_min, v.per_transaction_max,
  v.per_transaction_max_defaulted, v.total_card_amount, v.transactions_max, v.recurring, v.authorization_hold_days,
  v.aging_velocity_time_zone, v.currency, v.valid_starting_on, v.valid_ending_on, v.controls_version, v.window_start_ms, v.held, v.cleared,
  v.uses, v.next_hold_end_ms, v.code_failures, v.code_failures_on, v.provisional_clearings, v.settled_through, o.hold_days,
  o.status as company_status, o.endpoint_version, v.merchant_controls`;

export const card_tables =
  'tallystick_virtual_cards v join tallystick_real_cards r on r.id = v.rcn_id join tallystick_companies o on o.id = v.company_id';

/**
 * A row of `card_columns` as both drivers return it, except that SQLite has 0 and 1 for booleans.
 */
export interface CardRow
  extends Omit<
    LedgerCard,
    'counters' | 'template' | 'per_transaction_max_defaulted' | 'merchant_controls' | 'hold_days'
  > {
  readonly per_transaction_max_defaulted: boolean | 0 | 1;
  readonly merchant_controls: string | null;
  readonly window_start_ms: number;
  readonly held: LedgerCard['counters']['held'];
  readonly cleared: LedgerCard['counters']['cleared'];
  readonly uses: number;
  readonly next_hold_end_ms: number | null;
  readonly code_failures: number;
  readonly code_failures_on: string | null;
  readonly hold_days: number | null;
}

export function cardOf(row: CardRow, template: LedgerCard['template']): LedgerCard {
  return {
    id: row.id,
    company_id: row.company_id,
    rcn_id: row.rcn_id,
    rcn_alias: row.rcn_alias,
    billing_currency: row.billing_currency,
    template_id: row.template_id,
    status: row.status,
    frozen_at_ms: row.frozen_at_ms,
    last4: row.last4,
    expiry: row.expiry,
    number_index: row.number_index,
    per_transaction_min: row.per_transaction_min,
    per_transaction_max: row.per_transaction_max,
    per_transaction_max_defaulted: Boolean(row.per_transaction_max_defaulted),
    total_card_amount: row.total_card_amount,
    transactions_max: row.transactions_max,
    recurring: row.recurring,
    authorization_hold_days: row.authorization_hold_days,
    aging_velocity_time_zone: row.aging_velocity_time_zone,
    currency: row.currency,
    valid_starting_on: row.valid_starting_on,
    valid_ending_on: row.valid_ending_on,
    merchant_controls: row.merchant_controls === null ? null : JSON.parse(row.merchant_controls),
    controls_version: row.controls_version,
    template,
    hold_days: holdDaysOf(row.hold_days),
    company_status: row.company_status,
    endpoint_version: row.endpoint_version,
    provisional_clearings: row.provisional_clearings,
    settled_through: row.settled_through,
    counters: {
      window_start_ms: row.window_start_ms,
      held: row.held,
      cleared: row.cleared,
      uses: row.uses,
      next_hold_end_ms: row.next_hold_end_ms,
      code_failures: row.code_failures,
      code_failures_on: row.code_failures_on,
    },
  };
}

/** The columns of a template that a pass reads. */
export const template_columns = 'id, mcc_rule, mcc_list, merchant_controls, version';

export interface TemplateRow {
  readonly id: number;
  readonly mcc_rule: LedgerCard['template']['mcc_rule'];
  readonly mcc_list: string;
  readonly merchant_controls: string | null;
  readonly version: number;
}

/** What a decision reads of a template. */
export function templateRuleOf({
  mcc_rule,
  mcc_list,
  merchant_controls,
  version,
}: TemplateRow): LedgerCard['template'] {
  return {
    mcc_rule,
    mcc_list: JSON.parse(mcc_list) as readonly string[],
    merchant_controls: merchant_controls === null ? null : JSON.parse(merchant_controls),
    version,
  };
}
