import { type Authorization, type Clearing, changing_clearing_fields } from '@tallystick/cards';

/** How a column is written and read: its kind of JSON value, and its type on Postgres. */
export type ColumnKind = 'integer' | 'text' | 'boolean' | 'json';

/** The columns of `authorizations`: the fields of the record by name. */
export const authorization_columns = {
  id: 'integer',
  company_id: 'integer',
  card_id: 'integer',
  root_id: 'integer',
  message_type: 'text',
  incremental: 'boolean',
  trace_id: 'text',
  system_trace_audit_number: 'text',
  transaction_date_time_ms: 'integer',
  decided_at_ms: 'integer',
  decline_code: 'text',
  approval_code: 'text',
  billing_amount: 'integer',
  merchant_amount: 'integer',
  merchant_currency: 'text',
  mcc: 'text',
  merchant_id: 'text',
  net_reference_number: 'text',
  window_start_ms: 'integer',
  status: 'text',
  authorized: 'integer',
  held: 'integer',
  cleared: 'integer',
  uses: 'integer',
  hold_end_ms: 'integer',
  request_id: 'text',
  details: 'json',
  reduced_at_ms: 'integer',
  uncleared_status: 'text',
  uncleared_uses: 'integer',
} as const satisfies Readonly<Record<keyof Authorization, ColumnKind>>;

/** The columns of `clearings`: the fields of the record by name. */
export const clearing_columns = {
  id: 'integer',
  company_id: 'integer',
  card_id: 'integer',
  network_financial_transaction_id: 'text',
  cycle: 'text',
  clearing_type: 'text',
  partial: 'boolean',
  billing_amount: 'integer',
  billing_currency: 'text',
  merchant_amount: 'integer',
  merchant_currency: 'text',
  acquirer_reference_data: 'text',
  approval_code: 'text',
  net_reference_number: 'text',
  merchant_id: 'text',
  mcc: 'text',
  settlement_date: 'text',
  authorization_date: 'text',
  recorded_at_ms: 'integer',
  authorization_id: 'integer',
  clearing_id: 'integer',
  match_rule: 'integer',
  review: 'boolean',
  class: 'text',
  window_start_ms: 'integer',
  cleared_effect: 'integer',
  hold_effect: 'integer',
  uses: 'integer',
  request_id: 'text',
  details: 'json',
  reduced_at_ms: 'integer',
  synthetic_id: 'boolean',
  paired_transaction_id: 'text',
  sent: 'json',
  choices: 'json',
} as const satisfies Readonly<Record<keyof Clearing, ColumnKind>>;

/** The columns of `clearings` that a later message may change. */
export const clearing_change_columns: Readonly<Record<string, ColumnKind>> = Object.fromEntries(
  changing_clearing_fields.map((name) => [name, clearing_columns[name]]),
);

/** The columns as a select list from the table `alias`. */
export function selectList(columns: Readonly<Record<string, ColumnKind>>, alias: string): string {
  return Object.keys(columns)
    .map((column) => `${alias}.${column}`)
    .join(', ');
}

type Stored<Item, Flag extends keyof Item> = Omit<Item, Flag | 'details'> & {
  readonly details: string;
} & { readonly [Name in Flag]: boolean | 0 | 1 };

/** A row of `authorization_columns` as the drivers return it. */
export type AuthorizationRow = Stored<Authorization, 'incremental'>;

/** A row of `clearing_columns` as the drivers return it. */
export type ClearingRow = Omit<Stored<Clearing, 'partial' | 'review' | 'synthetic_id'>, 'sent' | 'choices'> & {
  readonly sent: string | null;
  readonly choices: string | null;
};

export function authorizationOf(row: AuthorizationRow): Authorization {
  return { ...row, incremental: Boolean(row.incremental), details: JSON.parse(row.details) };
}

export function clearingOf(row: ClearingRow): Clearing {
  return {
    ...row,
    partial: Boolean(row.partial),
    review: Boolean(row.review),
    synthetic_id: Boolean(row.synthetic_id),
    sent: row.sent === null ? null : JSON.parse(row.sent),
    choices: row.choices === null ? null : JSON.parse(row.choices),
    details: JSON.parse(row.details),
  };
}
