import type { Call } from '@tallystick/kernel';
import type { ReconciliationTx } from './ports.ts';
import { type Summary, summarize } from './summary.ts';

/**
 * The totals of the company's items, by currency. Ages are counted to the day of the call in UTC.
 */
export async function readSummary(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  { company_id, now_ms }: Pick<Call, 'company_id' | 'now_ms'>,
): Promise<ReadonlyMap<string, Summary>> {
  return summarize(await reconciliation.cells(company_id), now_ms);
}
