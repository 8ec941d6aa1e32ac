/**
 * Items follow their records: what arrived or changed is in the inbox from the commit that wrote
 * it, and a step takes some of it and recomputes the items concerned, in one transaction.
 *
 *   behind ──step──> behind or caught up
 *   caught up ──a record, a time that comes, a wider coverage, a tolerance──> behind
 *
 * A step takes rows of the inbox, items whose time has come, and items that a walk reaches
 * (`item-walks.ts`), of each at most a batch. One transaction at a time does so for a company. If
 * it fails, everything is as it was, and the next step begins again. When nothing of that is left,
 * walks find the covering sets that were too many for a step (`leftover-walk.ts`).
 */

import type { Call } from '@tallystick/kernel';
import type { RecordKey } from '../item-id.ts';
import { addUnsearched } from '../pairing/entry-key.ts';
import type { CompanyProgress, ReconciliationPorts, ReconciliationTx } from '../ports.ts';
import { breakEvents } from './break-events.ts';
import type { KnownSets } from './covering-region.ts';
import { stepWalks } from './item-walks.ts';
import { type IsCurrent, type LeftoverWalk, walkLeftovers } from './leftover-walk.ts';
import {
  type Circumstances,
  isUnchanged,
  type Recomputed,
  readCircumstances,
  recompute,
  type Seeds,
} from './recompute.ts';

export interface KeepUpOptions {
  /**
   * The most rows of the inbox, due items and items of a walk of one transaction; 50 by default: on
   * SQLite decisions wait for it.
   */
  readonly batch_max?: number;
  /** The most transactions; without a limit when absent. */
  readonly steps_max?: number;
  /** Called after each transaction, for example to let others use the database. */
  readonly afterStep?: () => Promise<void>;
  /** Aborted: no further transaction begins. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The walks in progress, by company, for a caller that calls again. Without it a call with
   * `steps_max` walks nothing, and one without walks to the end.
   */
  readonly walks?: Map<number, LeftoverWalk>;
  /** See `Circumstances`. */
  readonly leftovers_max?: number;
}

export interface CaughtUp {
  /** Whether more is left than the steps allowed, or another transaction has the company. */
  readonly is_pending: boolean;
  /** How many rows of the inbox were taken, and steps of walks. */
  readonly taken: number;
}

const batch_max_default = 50;

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
  if (walksOf(options) === undefined) {
    const has_work = await unitOfWork.read((tx) => tx.reconciliation.hasWork(company_id, now_ms));
    if (!has_work) return { is_pending: false, taken: 0 };
  }
  return await takeSteps(ports, company_id, options, ({ reconciliation }) => reconciliation.lockCompany(company_id));
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
    const result = await takeSteps(ports, company_id, options, ({ reconciliation }) =>
      reconciliation.lockCompanyIfFree(company_id),
    );
    is_pending ||= result.is_pending;
    taken += result.taken;
  }
  return { is_pending, taken };
}

const companies_max = 500;

function walksOf({ walks, steps_max }: KeepUpOptions): Map<number, LeftoverWalk> | undefined {
  return walks ?? (steps_max === undefined ? new Map() : undefined);
}

async function takeSteps(
  ports: ReconciliationPorts,
  company_id: number,
  options: KeepUpOptions,
  lock: (tx: ReconciliationTx) => Promise<CompanyProgress | null>,
): Promise<CaughtUp> {
  const { batch_max, leftovers_max, steps_max = Number.POSITIVE_INFINITY, afterStep, signal } = options;
  const { unitOfWork, clock } = ports;
  const walks = walksOf(options);
  let taken = 0;
  for (let steps = 0; steps < steps_max && !signal?.aborted; steps += 1) {
    const now_ms = clock.nowMs();
    const step = await unitOfWork.run(async (tx) => {
      const progress = await lock(tx);
      return progress === null ? null : await keepUp(tx, progress, now_ms, batch_max, leftovers_max);
    });
    if (step === null) return { is_pending: true, taken };
    taken += step.taken;
    if (!step.is_pending) {
      if (!step.has_unsearched) return { is_pending: false, taken };
      if (walks === undefined) break;
      await takeStepOfWalk(ports, company_id, walks);
      taken += 1;
    }
    await afterStep?.();
  }
  return { is_pending: true, taken };
}

async function takeStepOfWalk(
  ports: ReconciliationPorts,
  company_id: number,
  walks: Map<number, LeftoverWalk>,
): Promise<void> {
  const walk =
    walks.get(company_id) ??
    walkLeftovers(ports, company_id, (known, isCurrent) => writeKnown(ports, company_id, known, isCurrent));
  // One that fails begins again.
  walks.delete(company_id);
  const { done } = await walk.next();
  if (!done) walks.set(company_id, walk);
}

/**
 * Writes the items of these records with their sets if the sets are current. Begins no transaction
 * when nothing differs.
 */
async function writeKnown(
  { unitOfWork, clock }: ReconciliationPorts,
  company_id: number,
  known: KnownSets,
  isCurrent: IsCurrent,
): Promise<void> {
  const seeds = { records: known.records, item_ids: [] };
  const now_ms = clock.nowMs();
  const circumstancesOf = ({ reconciliation }: ReconciliationTx) =>
    readCircumstances(reconciliation, company_id, now_ms);
  const { changes } = await unitOfWork.read(async (tx) =>
    recompute(tx.reconciliation, seeds, await circumstancesOf(tx), known),
  );
  if (isUnchanged(changes)) return;
  await unitOfWork.run(async (tx) => {
    if (!isCurrent(await tx.reconciliation.lockCompany(company_id))) return;
    await recomputeAndWrite(tx, seeds, await circumstancesOf(tx), known);
  });
}

/**
 * One step, within a transaction that has locked the company. `is_pending`: there may be more to do
 * by another one. `has_unsearched`: there is a walk to do.
 */
export async function keepUp(
  tx: ReconciliationTx,
  progress: CompanyProgress,
  now_ms: number,
  batch_max: number = batch_max_default,
  leftovers_max?: number,
): Promise<CaughtUp & { readonly has_unsearched: boolean }> {
  const { company_id, tolerances } = progress;
  const store = tx.reconciliation;
  const arrivals = await store.takeArrivals(company_id, batch_max);
  const due_ids = await store.dueItems(company_id, now_ms, batch_max);
  const coverage = await store.readCoverage(company_id);
  const walked = await stepWalks(store, progress, coverage, batch_max);
  const seeds = { records: arrivals.records, item_ids: [...due_ids, ...(walked?.item_ids ?? [])] };
  let { unsearched } = progress;
  if (seeds.records.length + seeds.item_ids.length > 0) {
    const recomputed = await recomputeAndWrite(tx, seeds, { company_id, coverage, tolerances, now_ms, leftovers_max });
    unsearched = unsearchedAfter(unsearched, recomputed);
  }
  if (walked !== null || unsearched !== progress.unsearched) {
    await store.updateProgress({
      ...progress,
      unsearched,
      ...(walked === null ? {} : { coverage, walk: walked.next }),
    });
  }
  const is_walking = (walked?.next ?? null) !== null;
  const is_pending = arrivals.rows === batch_max || due_ids.length === batch_max || is_walking;
  return { is_pending, taken: arrivals.rows, has_unsearched: unsearched.length > 0 };
}

/**
 * Recomputes the items of the seeds, writes the differences and records the events of breaks.
 * Within a transaction that has locked the company.
 */
async function recomputeAndWrite(
  tx: ReconciliationTx,
  seeds: Seeds,
  circumstances: Circumstances,
  known: KnownSets | null = null,
): Promise<Recomputed> {
  const recomputed = await recompute(tx.reconciliation, seeds, circumstances, known);
  await writeRecomputed(tx, recomputed, circumstances.now_ms);
  return recomputed;
}

/** Writes the differences. Within a transaction that has locked the company. */
export async function writeRecomputed(
  { reconciliation, events }: ReconciliationTx,
  { changes, items }: Recomputed,
  now_ms: number,
): Promise<void> {
  if (isUnchanged(changes)) return;
  await reconciliation.write(changes);
  const of_breaks = breakEvents(items, now_ms);
  if (of_breaks.length > 0) await events.append(of_breaks);
}

/** Recomputes the items of these records, within a transaction. Locks the company. */
export async function refresh(
  tx: ReconciliationTx,
  { company_id, now_ms }: Pick<Call, 'company_id' | 'now_ms'>,
  records: readonly RecordKey[],
): Promise<void> {
  const progress = await tx.reconciliation.lockCompany(company_id);
  const coverage = await tx.reconciliation.readCoverage(company_id);
  const circumstances = { company_id, coverage, tolerances: progress.tolerances, now_ms };
  await noteUnsearched(tx, progress, await recomputeAndWrite(tx, { records, item_ids: [] }, circumstances));
}

/** Notes the dates that a walk has to look at. `progress` is that of the locked company. */
export async function noteUnsearched(
  { reconciliation }: ReconciliationTx,
  progress: CompanyProgress,
  recomputed: Recomputed,
): Promise<void> {
  const unsearched = unsearchedAfter(progress.unsearched, recomputed);
  if (unsearched !== progress.unsearched) await reconciliation.updateProgress({ ...progress, unsearched });
}

/**
 * The dates that a walk has to look at. A walk in progress may have read leftovers as they were
 * before this change, and would write sets of these: the next one looks at the dates again.
 */
function unsearchedAfter(
  unsearched: CompanyProgress['unsearched'],
  { changed, is_searched }: Recomputed,
): CompanyProgress['unsearched'] {
  const is_walking = unsearched.some(({ mark }) => mark !== null);
  return is_searched && !is_walking ? unsearched : addUnsearched(unsearched, changed);
}
