import type { Item } from '@tallystick/reconciliation';
import type { Selectable } from 'kysely';
import type { Tables } from '../../connection/session.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { ReconciliationItem } from '../../schema/tables/reconciliation.ts';

export type ItemRow = Selectable<Tables['tallystick_reconciliation_items']>;

export const item_columns = columnsOf(ReconciliationItem);

/** The columns that a change writes, and the id. The others are in indexes that SQLite would write again. */
export const changing_columns = columnsOf(ReconciliationItem, 'company_id', 'vcn_id', 'opened_at_ms', 'currency');

export function rowOf(item: Item): ItemRow {
  return {
    ...item,
    authorization_ids: textOf(item.authorization_ids),
    clearing_ids: textOf(item.clearing_ids),
    line_ids: textOf(item.line_ids),
    matches: textOf(item.matches),
    alternatives: textOf(item.alternatives),
    tolerated: textOf(item.tolerated),
    is_touched: item.is_touched ? 1 : 0,
  };
}

function textOf(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}

export function itemOf(row: ItemRow): Item {
  return {
    ...row,
    authorization_ids: listOf(row.authorization_ids),
    clearing_ids: listOf(row.clearing_ids),
    line_ids: listOf(row.line_ids),
    matches: listOf(row.matches),
    alternatives: listOf(row.alternatives),
    tolerated: listOf(row.tolerated),
    is_touched: row.is_touched === 1,
  };
}

function listOf<Element>(text: string): readonly Element[] {
  return text === '[]' ? [] : (JSON.parse(text) as readonly Element[]);
}
