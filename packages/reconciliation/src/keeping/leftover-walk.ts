/**
 * Thousands of lines and clearings may be left over within reach of each other, and one more of them
 * may change the covering sets of all. Then a step only notes the dates. A walk finds the sets:
 *
 *   noted ──take──> marked ──each day: read, search, write what differs──> found
 *
 * It reads in short transactions, searches outside of them, and writes at most a batch in one. What
 * changes meanwhile is noted for the next walk, and a set whose members changed is not written.
 * Dates stay until a walk over them has ended, so a process that ends loses only time. Until then
 * walks of other processes take the same dates. From then on changes are not noted, so these walks
 * write nothing more.
 */
import type { GiveWay, Steps } from '@tallystick/kernel';
import type { StatementPair } from '../act.ts';
import { standingActs } from '../acts/standing-acts.ts';
import { daysAfter } from '../calendar.ts';
import { idsOfKind, itemIdOf, recordsOf } from '../item-id.ts';
import { offersByRecord } from '../items/alternatives.ts';
import { covering_reach_days } from '../pairing/covering-sets.ts';
import { CoveringSweep, type SetsOfDay, sweep_lag_days } from '../pairing/covering-sweep.ts';
import { addUnsearched, joinDates, type LeftoverDates, leftoverKeyOf } from '../pairing/entry-key.ts';
import type { CompanyProgress, Entry, ReconciliationPorts, ReconciliationTx } from '../ports.ts';
import { type CardLine, type ClearedAmount, isPairable, type StatementRecords } from '../records.ts';
import type { KnownSets } from './covering-region.ts';

/** A walk in progress, in steps of some milliseconds. */
export type LeftoverWalk = AsyncGenerator<undefined, void>;

/** How many records one transaction composes. */
const records_max = 50;

/** How many leftovers one transaction reads. */
const page_size = 200;

/** After how many records searched a walk ends a step. */
const searched_max = 100;

/**
 * Whether a mark of the walk still stands in the progress of the locked company: then every change
 * since the walk began was noted for the next one.
 */
export type IsCurrent = (progress: CompanyProgress) => boolean;

/**
 * Finds the sets of the noted dates, and of `more`, and passes them to `write`, some records at a
 * time, which must write them only while they are current.
 */
export async function* walkLeftovers(
  ports: ReconciliationPorts,
  company_id: number,
  write: (known: KnownSets, isCurrent: IsCurrent) => Promise<void>,
  more: readonly LeftoverDates[] = [],
): LeftoverWalk {
  const { unitOfWork } = ports;
  const { mark, taken, is_joined } = await unitOfWork.run((tx) => takeDates(tx, company_id, more));
  const isCurrent: IsCurrent = ({ unsearched }) => unsearched.some((dates) => dates.mark === mark);
  for (const range of joinDates(taken, 2 * covering_reach_days)) {
    yield* sweepLeftovers(ports, company_id, range, (known) => write(known, isCurrent));
  }
  await unitOfWork.run(async ({ reconciliation }) => {
    const progress = await reconciliation.lockCompany(company_id);
    const unsearched = progress.unsearched.filter((dates) => dates.mark !== mark);
    await reconciliation.updateProgress({ ...progress, unsearched });
  });
  if (is_joined && more.length > 0) yield* walkLeftovers(ports, company_id, write);
}

/**
 * Takes the dates of the walk that has not ended, if there is one. The others wait until then: what
 * changed during that walk must not be found before its last write.
 */
async function takeDates({ reconciliation }: ReconciliationTx, company_id: number, more: readonly LeftoverDates[]) {
  const progress = await reconciliation.lockCompany(company_id);
  const noted = addUnsearched(progress.unsearched, more);
  const is_joined = noted.some((dates) => dates.mark !== null);
  const mark = progress.leftover_walks + (is_joined ? 0 : 1);
  const unsearched = is_joined ? noted : noted.map((dates) => ({ ...dates, mark }));
  await reconciliation.updateProgress({ ...progress, unsearched, leftover_walks: mark });
  return { mark, taken: unsearched.filter((dates) => dates.mark === mark), is_joined };
}

/** Finds the sets of all leftovers within reach of these dates. */
export async function* sweepLeftovers(
  { unitOfWork }: Pick<ReconciliationPorts, 'unitOfWork'>,
  company_id: number,
  { currency, from, to }: LeftoverDates,
  write: (known: KnownSets) => Promise<void>,
): LeftoverWalk {
  const [first, last] = [daysAfter(from, -covering_reach_days), daysAfter(to, covering_reach_days)];
  const sweep = new CoveringSweep(daysAfter(first, -covering_reach_days));
  const end = daysAfter(last, sweep_lag_days);
  for (let date = daysAfter(first, -covering_reach_days); date <= end; date = daysAfter(date, 1)) {
    const { clearings, lines, bars, giveWay } = yield* leftoversOn(unitOfWork, company_id, currency, date);
    const { records, sets } = yield* searchDay(sweep.next({ clearings, lines }, bars), giveWay);
    const of_date = daysAfter(date, -sweep_lag_days);
    if (of_date < first) continue;
    const applied = new Map(sets.applied.flatMap((set) => recordsOf(set).map((record) => [itemIdOf(record), set])));
    const offers = offersByRecord(sets.offers);
    for (let at = 0; at < records.length; at += records_max) {
      const batch = records.slice(at, at + records_max);
      const of_batch = new Set(batch.flatMap((record) => applied.get(itemIdOf(record)) ?? []));
      await write({ records: batch, applied: [...of_batch], offers });
      yield;
    }
  }
}

async function* searchDay(steps: Steps<SetsOfDay>, giveWay: GiveWay): AsyncGenerator<undefined, SetsOfDay> {
  for (let searched = 1; ; searched += 1) {
    const step = steps.next();
    if (step.done) return step.value;
    await giveWay();
    if (searched % searched_max === 0) yield;
  }
}

async function* leftoversOn(
  unitOfWork: ReconciliationPorts['unitOfWork'],
  company_id: number,
  currency: string,
  date: string,
) {
  const clearings: ClearedAmount[] = [];
  const lines: CardLine[] = [];
  const bars: StatementPair[] = [];
  let giveWay: GiveWay = () => undefined;
  for (const kind of ['clearing', 'line'] as const) {
    const key = leftoverKeyOf(kind, currency, date);
    for (let after: Entry | null = null; ; ) {
      const place: Entry | null = after;
      const page: LeftoverPage = await unitOfWork.read((tx) => readPage(tx, company_id, key, place));
      clearings.push(...page.clearings);
      lines.push(...page.lines);
      bars.push(...page.bars);
      giveWay = page.giveWay;
      after = page.last;
      if (after === null) break;
      yield;
    }
  }
  return { clearings, lines, bars, giveWay };
}

interface LeftoverPage extends StatementRecords {
  /** The pairs of these records that people undid. */
  readonly bars: readonly StatementPair[];
  readonly giveWay: GiveWay;
  /** The last one; null when there are no more. */
  readonly last: Entry | null;
}

async function readPage(
  { reconciliation: store }: ReconciliationTx,
  company_id: number,
  key: string,
  after: Entry | null,
): Promise<LeftoverPage> {
  const entries = await store.entriesBetween(company_id, { from: key, to: key }, after, page_size);
  const records = entries.map(({ record }) => record);
  return {
    clearings: await store.clearings(company_id, idsOfKind('clearing', records)),
    lines: (await store.lines(company_id, idsOfKind('line', records))).filter(isPairable),
    bars: standingActs(await store.actsOn(company_id, records)).hands.bars,
    giveWay: store.giveWay,
    last: entries.length < page_size ? null : entries.at(-1)!,
  };
}
