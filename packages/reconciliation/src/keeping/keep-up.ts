/**
 * Items follow their records: what arrived or changed is in the inbox from the commit that wrote
 * it, and a step takes some of it and recomputes the items concerned, in one transaction.
 *
 *   behind ──step──> behind or caught up
 *   caught up ──a record, a time that comes, a wider coverage──> behind
 *
 * A step takes rows of the inbox, items whose time has come, and items that a wider coverage of
 * statements reaches, of each at most a batch. One transaction at a time does so for a company. If
 * it fails, everything is as it was, and the next step begins again.
 */

import type { Call } from '@tallystick/kernel';
import type { RecordKey } from '../item-id.ts';
import type { CompanyProgress, CoverageWalk, ReconciliationPorts, ReconciliationTx } from '../ports.ts';
import type { Coverage } from '../records.ts';
import { breakEvents } from './break-events.ts';
import { type Circumstances, isUnchanged, type Recomputed, recompute, type Seeds } from './recompute.ts';

export interface KeepUpOptions {
  /**
   * The most rows of the inbox, due items and items of a walk of one transaction; 100 by default: on
   * SQLite decisions wait for it.
   */
  readonly batch_max?: number;
  /** The most transactions; without a limit when absent. */
  readonly steps_max?: number;
  /** Called after each transaction, for example to let others use the database. */
  readonly afterStep?: () => Promise<void>;
  /** Aborted: no further transaction begins. */
  readonly signal?: AbortSignal | undefined;
}

export interface CaughtUp {
  /** Whether more is left than the steps allowed, or another transaction has the company. */
  readonly is_pending: boolean;
  /** How many rows of the inbox were taken. */
  readonly taken: number;
}

const batch_max_default = 100;

/** The steps of a read or an action of the interface: it answers soon even when much is left. */
export const steps_of_reads_max = 20;

/**
 * Brings the items of a company up to date, at most `steps_max` transactions long. Costs one read
 * when they are.
 */
export async function catchUp(
  ports: ReconciliationPorts,
  company_id: number,
  options: KeepUpOptions = {},
): Promise<CaughtUp> {
  const { unitOfWork, clock } = ports;
  const now_ms = clock.nowMs();
  const has_work = await unitOfWork.read((tx) => tx.reconciliation.hasWork(company_id, now_ms));
  if (!has_work) return { is_pending: false, taken: 0 };
  return await takeSteps(ports, options, ({ reconciliation }) => reconciliation.lockCompany(company_id));
}

/**
 * Brings the items of all companies that have work up to date, except for those that another
 * transaction has.
 * For a job: it should run several times a second.
 */
export async function catchUpAll(ports: ReconciliationPorts, options: KeepUpOptions = {}): Promise<CaughtUp> {
  const now_ms = ports.clock.nowMs();
  const companies = await ports.unitOfWork.read((tx) => tx.reconciliation.companiesWithWork(now_ms, companies_max));
  let is_pending = companies.length === companies_max;
  let taken = 0;
  for (const company_id of companies) {
    const result = await takeSteps(ports, options, ({ reconciliation }) =>
      reconciliation.lockCompanyIfFree(company_id),
    );
    is_pending ||= result.is_pending;
    taken += result.taken;
  }
  return { is_pending, taken };
}

const companies_max = 500;

async function takeSteps(
  { unitOfWork, clock }: ReconciliationPorts,
  { batch_max = batch_max_default, steps_max = Number.POSITIVE_INFINITY, afterStep, signal }: KeepUpOptions,
  lock: (tx: ReconciliationTx) => Promise<CompanyProgress | null>,
): Promise<CaughtUp> {
  let taken = 0;
  for (let steps = 0; steps < steps_max && !signal?.aborted; steps += 1) {
    const now_ms = clock.nowMs();
    const step = await unitOfWork.run(async (tx) => {
      const progress = await lock(tx);
      return progress === null ? null : await keepUp(tx, progress, now_ms, batch_max);
    });
    if (step === null) return { is_pending: true, taken };
    taken += step.taken;
    if (!step.is_pending) return { is_pending: false, taken };
    await afterStep?.();
  }
  return { is_pending: true, taken };
}

/**
 * One step, within a transaction that has locked the company. `is_pending`: there may be more to
 * do.
 */
export async function keepUp(
  tx: ReconciliationTx,
  progress: CompanyProgress,
  now_ms: number,
  batch_max: number = batch_max_default,
): Promise<CaughtUp> {
  const { company_id } = progress;
  const store = tx.reconciliation;
  const arrivals = await store.takeArrivals(company_id, batch_max);
  const due_ids = await store.dueItems(company_id, now_ms, batch_max);
  const coverage = await store.readCoverage(company_id);
  const walk = walkAfter(progress, coverage);
  const walked = walk === null ? [] : await store.itemsOfWalk(company_id, walk, batch_max);
  const last = walked.length < batch_max ? undefined : walked.at(-1);
  const next_walk =
    walk === null || last === undefined ? null : { ...walk, after: { period_date: last.period_date!, id: last.id } };
  if (walk !== null) await store.updateProgress({ ...progress, coverage, walk: next_walk });
  const seeds = { records: arrivals.records, item_ids: [...due_ids, ...walked.map(({ id }) => id)] };
  if (seeds.records.length + seeds.item_ids.length > 0) {
    await recomputeAndWrite(tx, seeds, { company_id, coverage, now_ms });
  }
  const is_pending = arrivals.rows === batch_max || due_ids.length === batch_max || next_walk !== null;
  return { is_pending, taken: arrivals.rows };
}

/**
 * Recomputes the items of the seeds, writes the differences and records the events of breaks.
 * Within a transaction that has locked the company.
 */
export async function recomputeAndWrite(
  { reconciliation, events }: ReconciliationTx,
  seeds: Seeds,
  circumstances: Circumstances,
): Promise<Recomputed> {
  const recomputed = await recompute(reconciliation, seeds, circumstances);
  if (isUnchanged(recomputed.changes)) return recomputed;
  await reconciliation.write(recomputed.changes);
  const of_breaks = breakEvents(recomputed.items, circumstances.now_ms);
  if (of_breaks.length > 0) await events.append(of_breaks);
  return recomputed;
}

/** Recomputes the items of these records, within a transaction. Locks the company. */
export async function refresh(
  tx: ReconciliationTx,
  { company_id, now_ms }: Pick<Call, 'company_id' | 'now_ms'>,
  records: readonly RecordKey[],
): Promise<void> {
  await tx.reconciliation.lockCompany(company_id);
  const coverage = await tx.reconciliation.readCoverage(company_id);
  await recomputeAndWrite(tx, { records, item_ids: [] }, { company_id, coverage, now_ms });
}

/**
 * The walk that is due: over the items since the earliest date from which clearings need a line now
 * and did not before.
 */
function walkAfter({ coverage: before, walk }: CompanyProgress, coverage: Coverage): CoverageWalk | null {
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
