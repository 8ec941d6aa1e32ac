import type { Call, Page, PageRequest } from '@tallystick/kernel';
import type { ActPorts, ActTx } from '../acts/act-plan.ts';
import type { Item } from '../item.ts';
import type { Period } from '../ports.ts';

/**
 * A period ends with the last day that was closed (decision: reconciliation, periods).
 *
 *   closing ──all its finished items are frozen──> closed ──reopen──> reopening ──> reopened
 *
 * Items are frozen and freed in batches, so that no decision and no import waits long. When a
 * process ends in between, the same request continues. Only the newest period is reopened.
 */
export type PeriodPorts = Omit<ActPorts, 'network'>;

/** How many items one transaction looks at: on SQLite decisions wait for it. */
export const period_batch_size = 50;

/** What closing a period reads of an item. */
type PlacedItem = Pick<Item, 'status' | 'period_date' | 'period_id'>;

/**
 * Whether closing a period through a date freezes an item: it is matched, accepted or ignored, no
 * closed period has it, and the settlement date of its newest clearing, else the booking date of its
 * line, is not after that date. Other items stay open and carry forward (decision: reconciliation,
 * periods).
 */
export function isFrozenBy({ status, period_date, period_id }: PlacedItem, closed_through: string): boolean {
  if (period_id !== null || period_date === null || period_date > closed_through) return false;
  return status === 'matched' || status === 'accepted' || status === 'ignored';
}

/** Whether an item is an open break of a period that ends on a date. Closing counts these. */
export function isOpenBreakOf({ status, period_date, period_id }: PlacedItem, closed_through: string): boolean {
  return period_id === null && status === 'break' && period_date !== null && period_date <= closed_through;
}

/**
 * Ends a closing or a reopening. When another process has ended it meanwhile, the period stays as
 * that one left it.
 */
export async function endBatches(
  { reconciliation }: ActTx,
  { company_id }: Call,
  ended: Period,
  from: 'closing' | 'reopening',
): Promise<Period> {
  await reconciliation.lockCompany(company_id);
  const now = await reconciliation.findPeriod(company_id, ended.id);
  if (now?.status !== from) return now ?? ended;
  await reconciliation.updatePeriod(ended);
  return ended;
}

/** The object of the audit entries of a period. */
export function objectOf({ id }: Period): string {
  return `reconciliation_period:${id}`;
}

/** Lists the periods of the company, the newest first. */
export function listPeriods(
  { reconciliation }: Pick<ActTx, 'reconciliation'>,
  { company_id }: Pick<Call, 'company_id'>,
  page: PageRequest,
): Promise<Page<Period>> {
  return reconciliation.listPeriods(company_id, page);
}
