import { showAmount } from '@tallystick/kernel';
import type { Act } from '../act.ts';
import { subjectOf } from '../acts/act-plan.ts';
import type { Difference, Item } from '../item.ts';
import type { ReconciliationTx } from '../ports.ts';
import type { Tolerance } from '../records.ts';
import { sideOf } from './difference.ts';
import type { NamedRecords } from './name-items.ts';
import type { SeenItem } from './read-items.ts';

const actor = 'rule:tolerance';

/**
 * What the rule `tolerance` accepts of an item, as entries of its history that nobody recorded: what
 * is left, and the tolerance. It accepts since the newest of what it depends on: the tolerance, the
 * records and the acts.
 */
export async function toleranceEntriesOf(
  { reconciliation }: Pick<ReconciliationTx, 'reconciliation'>,
  { item, history }: SeenItem,
  { clearings }: Pick<NamedRecords, 'clearings'>,
): Promise<readonly Act[]> {
  if (item.tolerated.length === 0) return [];
  const { company_id } = item;
  const tolerance = (await reconciliation.readTolerances(company_id)).get(item.currency);
  const lines = await reconciliation.lines(company_id, item.line_ids);
  const arrivals = [...clearings, ...lines].map(({ recorded_at_ms }) => recorded_at_ms);
  const since_ms = Math.max(item.opened_at_ms, ...arrivals, ...history.map(({ at_ms }) => at_ms));
  return item.tolerated.map((difference): Act => {
    const known = tolerance !== undefined && Math.abs(difference.amount) <= tolerance.amount ? tolerance : null;
    return {
      id: 0,
      company_id,
      at_ms: Math.max(since_ms, known?.since_ms ?? 0),
      actor,
      action: 'accept',
      item_id: item.id,
      subject: subjectOf(item, { rule: 'tolerance', accepted: difference }),
      note: noteOf(difference, item, known),
      reason: null,
      request_id: null,
    };
  });
}

/** `tolerance`: null for an item that was frozen while another one held. */
function noteOf(difference: Difference, { currency }: Item, tolerance: Tolerance | null): string {
  const within =
    tolerance === null ? 'the tolerance of that time' : `the tolerance of ${showAmount(tolerance.amount, currency)}`;
  return `${showAmount(difference.amount, currency)} left on the ${sideOf(difference)} side, within ${within}`;
}
