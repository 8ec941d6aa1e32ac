import type { Call, UnitOfWork } from '@tallystick/kernel';
import { dateOf, daysBetween } from '../calendar.ts';
import type { Item } from '../item.ts';
import type { ItemFilter } from '../items/item-filter.ts';
import { type ItemNames, type NamesTx, nameItems } from '../items/name-items.ts';
import { listItems } from '../items/read-items.ts';
import { suggestFor } from '../suggestions/suggest.ts';
import type { Suggestion } from '../suggestions/suggestion.ts';
import { suggestionCell } from '../suggestions/suggestion-cell.ts';
import { type CellValue, toCsvRow } from '../table-cell.ts';

/** The columns of the table of items (decision: reconciliation). */
export const item_columns = [
  'id',
  'version',
  'status',
  'kind',
  'class',
  'rule',
  'vcn_id',
  'merchant_name',
  'authorized',
  'cleared',
  'stated',
  'fees',
  'difference',
  'currency',
  'settlement_date',
  'due_date',
  'age_days',
  'decision',
  'note',
  'acquirer_reference',
  'approval_code',
  'account',
  'booking_date',
  'bank_text',
  'bank_reference',
  'suggestions',
  'with',
] as const;

export type ItemColumn = (typeof item_columns)[number];

/** The first row of the table. */
export function itemTableHead(): string {
  return toCsvRow(item_columns);
}

/**
 * The row of an item. Amounts are minor units of its currency. The columns `decision`, `note`
 * and `with` are empty: a row without a decision changes nothing when the table is sent back.
 */
export function itemTableRow(
  item: Item,
  names: ItemNames,
  today: string,
  suggestions: readonly Suggestion[] = [],
): string {
  const cells: Readonly<Record<ItemColumn, CellValue>> = {
    ...item,
    merchant_name: textCell(item.merchant_name),
    age_days: ageOfItem(item, today),
    decision: null,
    note: null,
    acquirer_reference: textCell(names.acquirer_reference),
    approval_code: textCell(names.approval_code),
    account: textCell(names.account_number),
    bank_text: textCell(names.bank_text),
    bank_reference: textCell(names.bank_reference),
    suggestions: suggestions.length === 0 ? null : suggestionCell(suggestions, item.currency),
    with: null,
  };
  return toCsvRow(item_columns.map((column) => cells[column]));
}

function textCell(text: string | null): CellValue {
  return text === null ? null : { text };
}

/**
 * The days since its due date; null without one. Before it a break has the age 0, because a clearing
 * may settle on a later day than it arrives, and other items have none.
 */
export function ageOfItem({ status, due_date }: Pick<Item, 'status' | 'due_date'>, today: string): number | null {
  if (due_date === null) return null;
  const days = daysBetween(due_date, today);
  if (days >= 0) return days;
  return status === 'break' ? 0 : null;
}

/** The items of one look at the database: one turn of the event loop on SQLite (ADR 0054). */
const batch_size = 200;

/**
 * Writes the items that fit as a table in CSV, newest first. Each batch is a transaction of its
 * own, so that a slow reader holds none. An item that changes meanwhile is written as it was or as
 * it is.
 */
export async function* exportItems(
  { unitOfWork }: { readonly unitOfWork: UnitOfWork<NamesTx> },
  call: Pick<Call, 'company_id' | 'now_ms'>,
  filter: ItemFilter,
): AsyncGenerator<string, void, undefined> {
  const today = dateOf(call.now_ms);
  let head = itemTableHead();
  let after: string | null | undefined;
  do {
    const request = { limit: batch_size, ...(after ? { after } : {}) };
    const { page, names, suggestions } = await unitOfWork.read(async (tx) => {
      const listed = await listItems(tx, call, filter, request);
      const { company_id } = call;
      return {
        page: listed,
        names: await nameItems(tx, company_id, listed.items),
        suggestions: await suggestFor(tx.reconciliation, company_id, listed.items),
      };
    });
    yield head +
      page.items.map((item) => itemTableRow(item, names.get(item.id)!, today, suggestions.get(item.id))).join('');
    head = '';
    after = page.next;
  } while (after !== null);
}
