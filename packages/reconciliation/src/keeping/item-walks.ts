/**
 * What concerns many items at once reaches them in walks, a batch with each step of keeping up:
 *
 * - a wider coverage of statements: the items whose newest clearing settled since its date
 * - a change of tolerances: accepted items, then breaks, because no other status depends on them
 *
 * An item that changes before a walk has reached it was recomputed by that change.
 */
import {
  type CompanyProgress,
  type CoverageWalk,
  type ItemPlace,
  type ItemWalks,
  placeAfter,
  type ReconciliationStore,
  type ToleranceWalk,
} from '../ports.ts';
import type { Coverage } from '../records.ts';

export interface WalkStep {
  readonly item_ids: readonly number[];
  /** What is left; null when nothing is. */
  readonly next: ItemWalks | null;
}

/** Takes the next batch of the walks that are due; null when none is. */
export async function stepWalks(
  store: Pick<ReconciliationStore, 'itemsByPeriod' | 'itemsAfter'>,
  progress: CompanyProgress,
  coverage: Coverage,
  batch_max: number,
): Promise<WalkStep | null> {
  const { company_id } = progress;
  const due = { coverage: coverageWalkOf(progress, coverage), tolerance: progress.walk?.tolerance ?? null };
  if (due.coverage !== null) {
    const { from, after: reached } = due.coverage;
    const walked = await store.itemsByPeriod(company_id, { from }, reached, batch_max);
    const after = placeAfter(walked, batch_max);
    const left = after === null ? null : { ...due.coverage, after };
    return stepOf(walked, { ...due, coverage: left });
  }
  if (due.tolerance === null) return null;
  const walked = await store.itemsAfter(company_id, due.tolerance.after, batch_max);
  const last = walked.length < batch_max ? undefined : walked.at(-1);
  const reached = walked.filter(({ status }) => status === 'accepted' || status === 'break');
  return stepOf(reached, { ...due, tolerance: last === undefined ? null : toleranceWalkAfter(last) });
}

function stepOf(walked: readonly { readonly id: number }[], { coverage, tolerance }: ItemWalks): WalkStep {
  const is_left = coverage !== null || tolerance !== null;
  return { item_ids: walked.map(({ id }) => id), next: is_left ? { coverage, tolerance } : null };
}

/**
 * Statuses in the order of `itemsAfter`: what is between accepted items and breaks is passed over.
 */
function toleranceWalkAfter({ status, opened_at_ms, id }: ItemPlace): ToleranceWalk | null {
  if (status === 'accepted' || status === 'break') return { after: { status, opened_at_ms, id } };
  return status < 'break' ? { after: { status: 'break', opened_at_ms: 0, id: 0 } } : null;
}

/**
 * The walk of coverage that is due: over the items since the earliest date from which clearings
 * need a line now and did not before.
 */
function coverageWalkOf({ coverage: before, walk: walks }: CompanyProgress, coverage: Coverage): CoverageWalk | null {
  const walk = walks?.coverage ?? null;
  let from = walk?.from ?? null;
  let is_wider = false;
  for (const [currency, since] of coverage) {
    if (before.get(currency) === since) continue;
    is_wider = true;
    if (from === null || since < from) from = since;
  }
  if (from === null) return null;
  return is_wider || walk === null ? { from, after: null } : walk;
}
