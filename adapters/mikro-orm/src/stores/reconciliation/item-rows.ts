import type { Item } from '@tallystick/reconciliation';
import type { Selectable } from 'kysely';
import type { Tables } from '../../connection/session.ts';

export type ItemRow = Selectable<Tables['tallystick_reconciliation_items']>;

/**
 * The columns that a change of an item leaves as they are, with their types on Postgres. They are
 * in indexes that SQLite would write again.
 */
const lasting_columns = {
  company_id: 'bigint',
  vcn_id: 'bigint',
  opened_at_ms: 'bigint',
  currency: 'text',
} as const;

/** The columns that a change writes, and the id. */
export const changing_columns = {
  id: 'bigint',
  status: 'text',
  kind: 'text',
  class: 'text',
  rule: 'text',
  merchant_name: 'text',
  authorization_ids: 'text',
  clearing_ids: 'text',
  line_ids: 'text',
  statement_line_id: 'bigint',
  matches: 'text',
  alternatives: 'text',
  tolerated: 'text',
  authorized: 'bigint',
  cleared: 'bigint',
  stated: 'bigint',
  fees: 'bigint',
  difference: 'bigint',
  sides: 'bigint',
  settlement_date: 'text',
  period_date: 'text',
  account_id: 'bigint',
  booking_date: 'text',
  due_date: 'text',
  next_change_ms: 'bigint',
  frozen_item_id: 'bigint',
  is_touched: 'bigint',
  version: 'bigint',
  period_id: 'bigint',
} as const;

export const item_columns = { ...lasting_columns, ...changing_columns } as const satisfies Readonly<
  Record<keyof Item, 'bigint' | 'text'>
>;

/** What a change of the item writes. A field without a value is undefined, which JSON leaves out. */
export function changeOf(item: Item): Readonly<Record<keyof typeof changing_columns, unknown>> {
  // Named one by one: to copy properties by a list of names takes several times as long.
  return {
    id: item.id,
    status: item.status,
    kind: item.kind ?? undefined,
    class: item.class ?? undefined,
    rule: item.rule ?? undefined,
    merchant_name: item.merchant_name ?? undefined,
    authorization_ids: textOf(item.authorization_ids),
    clearing_ids: textOf(item.clearing_ids),
    line_ids: textOf(item.line_ids),
    statement_line_id: item.statement_line_id ?? undefined,
    matches: textOf(item.matches),
    alternatives: textOf(item.alternatives),
    tolerated: textOf(item.tolerated),
    authorized: item.authorized ?? undefined,
    cleared: item.cleared ?? undefined,
    stated: item.stated ?? undefined,
    fees: item.fees,
    difference: item.difference,
    sides: item.sides,
    settlement_date: item.settlement_date ?? undefined,
    period_date: item.period_date ?? undefined,
    account_id: item.account_id ?? undefined,
    booking_date: item.booking_date ?? undefined,
    due_date: item.due_date ?? undefined,
    next_change_ms: item.next_change_ms ?? undefined,
    frozen_item_id: item.frozen_item_id ?? undefined,
    is_touched: item.is_touched ? 1 : 0,
    version: item.version,
    period_id: item.period_id ?? undefined,
  };
}

export function rowOf(item: Item): Readonly<Record<keyof typeof item_columns, unknown>> {
  const { company_id, vcn_id, opened_at_ms, currency } = item;
  return { company_id, vcn_id, opened_at_ms, currency, ...changeOf(item) };
}

function textOf(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}

export function itemOf(row: ItemRow): Item {
  return {
    id: row.id,
    company_id: row.company_id,
    status: row.status,
    kind: row.kind,
    class: row.class,
    rule: row.rule,
    vcn_id: row.vcn_id,
    merchant_name: row.merchant_name,
    authorization_ids: listOf(row.authorization_ids),
    clearing_ids: listOf(row.clearing_ids),
    line_ids: listOf(row.line_ids),
    statement_line_id: row.statement_line_id,
    matches: listOf(row.matches),
    alternatives: listOf(row.alternatives),
    tolerated: listOf(row.tolerated),
    authorized: row.authorized,
    cleared: row.cleared,
    stated: row.stated,
    fees: row.fees,
    difference: row.difference,
    currency: row.currency,
    sides: row.sides,
    settlement_date: row.settlement_date,
    period_date: row.period_date,
    account_id: row.account_id,
    booking_date: row.booking_date,
    due_date: row.due_date,
    next_change_ms: row.next_change_ms,
    opened_at_ms: row.opened_at_ms,
    frozen_item_id: row.frozen_item_id,
    is_touched: row.is_touched === 1,
    version: row.version,
    period_id: row.period_id,
  };
}

function listOf<Element>(text: string): readonly Element[] {
  return text === '[]' ? [] : (JSON.parse(text) as readonly Element[]);
}
