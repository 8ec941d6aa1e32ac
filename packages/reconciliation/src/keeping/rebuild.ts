/**
 * A rebuild walks all records and items of a company in batches, each in a transaction of its own,
 * and mends what differs from what the records make:
 *
 *   entries ──> authorizations ──> clearings ──> lines ──> items ──> sets ──> cells
 *
 * Entries come first, because they are what records are found by. Items that are kept up to date
 * are equal to rebuilt ones, so it finds differences only after a fault. Sets are those covering sets
 * of which too many are near each other for one transaction. Frozen items stay as they are: they are
 * the record of the closing. Others may write meanwhile.
 */
import { Fault } from '@tallystick/kernel';
import type { Item } from '../item.ts';
import { idsOfKind, itemIdOf, type RecordKey, type RecordKind, record_kinds } from '../item-id.ts';
import { covering_reach_days } from '../pairing/covering-sets.ts';
import { all_keys, entryPlacesOf, isLeftoverKey, joinDates, type LeftoverDates } from '../pairing/entry-key.ts';
import type { Entry, ItemChanges, ReconciliationPorts, ReconciliationTx } from '../ports.ts';
import { hasItemOfLine } from '../records.ts';
import type { KnownSets } from './covering-region.ts';
import { catchUp, noteUnsearched, writeRecomputed } from './keep-up.ts';
import { type IsCurrent, sweepLeftovers, walkLeftovers } from './leftover-walk.ts';
import { mendCells } from './mend-cells.ts';
import {
  type Circumstances,
  entriesChanged,
  isUnchanged,
  noItemChanges,
  type Recomputed,
  readCircumstances,
  recompute,
} from './recompute.ts';

export interface RebuildOptions {
  /** Null: all companies. */
  readonly company_id: number | null;
  /** Reports differences and writes nothing, also no arrivals. */
  readonly check_only: boolean;
  /** The most records of one transaction; 50 by default. */
  readonly batch_max?: number;
  /** See `Circumstances`. */
  readonly leftovers_max?: number;
  readonly onProgress?: (progress: RebuildProgress) => void;
  /** Aborted: rejects with its reason after the transaction in progress. What was mended stays. */
  readonly signal?: AbortSignal | undefined;
}

export interface RebuildProgress {
  readonly company_id: number;
  readonly phase: RebuildPhase;
  /** How many records, items or entries of the phase are walked. */
  readonly done: number;
}

export type RebuildPhase = 'entries' | RecordKind | 'items' | 'sets' | 'cells';

/** What a rebuild walked, and what differed. */
export interface Rebuilt {
  readonly companies: number;
  readonly records: number;
  readonly items: number;
  /** Items that differed: missing, wrong, or without records. */
  readonly items_different: number;
  readonly entries_different: number;
  /** Totals of the summary, and counts of matches. */
  readonly cells_different: number;
}

/** Rebuilds the items of one company or of all. */
export async function rebuild(ports: ReconciliationPorts, options: RebuildOptions): Promise<Rebuilt> {
  const total = { companies: 0, records: 0, items: 0, items_different: 0, entries_different: 0, cells_different: 0 };
  for await (const company_id of companiesOf(ports, options.company_id)) {
    const of_company = await new CompanyRebuild(ports, company_id, options).run();
    total.companies += 1;
    for (const name of Object.keys(of_company) as (keyof typeof of_company)[]) total[name] += of_company[name];
  }
  return total;
}

async function* companiesOf({ unitOfWork }: ReconciliationPorts, company_id: number | null): AsyncIterable<number> {
  if (company_id !== null) {
    yield company_id;
    return;
  }
  for (let after = 0; ; ) {
    const ids = await unitOfWork.read((tx) => tx.reconciliation.companiesAfter(after, 100));
    yield* ids;
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

class CompanyRebuild {
  readonly #ports: ReconciliationPorts;
  readonly #company_id: number;
  readonly #options: RebuildOptions;
  readonly #batch_max: number;
  readonly #unsearched = new Map<string, LeftoverDates>();
  readonly #found = { records: 0, items: 0, items_different: 0, entries_different: 0, cells_different: 0 };

  constructor(ports: ReconciliationPorts, company_id: number, options: RebuildOptions) {
    this.#ports = ports;
    this.#company_id = company_id;
    this.#options = options;
    this.#batch_max = options.batch_max ?? 50;
  }

  async run() {
    // What has not arrived yet would count as a difference.
    if (!this.#options.check_only) await this.#catchUpOrMend();
    await this.#walkAllEntries();
    for (const kind of record_kinds) await this.#walkRecords(kind, kind);
    await this.#walkItems();
    await this.#walkSets();
    await this.#walkCells();
    return this.#found;
  }

  async #catchUp(): Promise<void> {
    // A stop rejects where the next step begins.
    await catchUp(this.#ports, this.#company_id, { batch_max: this.#batch_max, signal: this.#options.signal });
  }

  /**
   * Where entries are lost, items that exist are not found, and to insert them again fails. Then the
   * entries are mended first. What may succeed later is no such failure.
   */
  async #catchUpOrMend(): Promise<void> {
    try {
      await this.#catchUp();
    } catch (error) {
      if (error instanceof Fault && error.retryable) throw error;
      await this.#walkAllEntries();
      await this.#catchUp();
    }
  }

  async #walkAllEntries(): Promise<void> {
    await this.#walkEntries();
    for (const kind of ['clearing', 'line'] as const) await this.#walkRecords(kind, 'entries');
  }

  /** Takes steps over all of a phase: each returns what it has walked, in the order of the phase. */
  async #walk<Walked>(
    phase: RebuildPhase,
    look: (
      tx: ReconciliationTx,
      after: Walked | null,
      circumstances: Circumstances,
    ) => Promise<Looked<readonly Walked[]>>,
  ): Promise<number> {
    for (let after: Walked | null = null, done = 0; ; ) {
      const place: Walked | null = after;
      const walked: readonly Walked[] = await this.#step((tx, circumstances) => look(tx, place, circumstances));
      const last = walked.at(-1);
      if (last === undefined) return done;
      after = last;
      done += walked.length;
      this.#report(phase, done);
    }
  }

  /**
   * Removes entries of records that do not exist or have another key. Records that lack an entry
   * then get one.
   */
  async #walkEntries(): Promise<void> {
    await this.#walk<Entry>('entries', async (tx, after) => {
      const found = await tx.reconciliation.entriesBetween(this.#company_id, all_keys, after, this.#batch_max);
      const records = found.map(({ record }) => record);
      const keys = await keysOf(tx, this.#company_id, records);
      const wrong = found.filter(({ key, record }) => !isLeftoverKey(key) && keys.get(itemIdOf(record)) !== key);
      return { found, differs: differsIn({ ...noItemChanges(this.#company_id), entries_removed: wrong }) };
    });
  }

  /** Adds the entries that records of a kind lack, or recomputes the items that have them. */
  async #walkRecords(kind: RecordKind, phase: RebuildPhase): Promise<void> {
    const done = await this.#walk<number>(phase, async (tx, after, circumstances) => {
      const found = await tx.reconciliation.recordsAfter(this.#company_id, kind, after ?? 0, this.#batch_max);
      const records = found.map((id): RecordKey => ({ kind, id }));
      const seeds = { records, item_ids: [] };
      const differs =
        phase === 'entries'
          ? await this.#missingEntries(tx, records)
          : await recompute(tx.reconciliation, seeds, circumstances);
      return { found, differs };
    });
    if (phase !== 'entries') this.#found.records += done;
  }

  async #missingEntries(tx: ReconciliationTx, records: readonly RecordKey[]): Promise<Recomputed> {
    const company_id = this.#company_id;
    const keys = await keysOf(tx, company_id, records);
    const places = records.map((record) => ({ record, key: keys.get(itemIdOf(record))! }));
    const known = await tx.reconciliation.entriesOf(company_id, places);
    const known_ids = new Set(known.map(({ record }) => itemIdOf(record)));
    const entries_inserted = places
      .filter(({ record }) => !known_ids.has(itemIdOf(record)))
      // The item that the record would have alone. To recompute the record corrects it.
      .map((place) => ({ company_id, ...place, item_id: itemIdOf(place.record) }));
    return differsIn({ ...noItemChanges(company_id), entries_inserted });
  }

  /** Recomputes items, so that those whose records are gone are found. */
  async #walkItems(): Promise<void> {
    await this.#walk<Item>('items', async (tx, after, circumstances) => {
      const found = await tx.reconciliation.itemsAfter(this.#company_id, after, this.#batch_max);
      const seeds = { records: [], item_ids: found.map(({ id }) => id) };
      return { found, differs: await recompute(tx.reconciliation, seeds, circumstances) };
    });
  }

  /** Recomputes the items of leftovers whose covering sets no other phase could look for. */
  async #walkSets(): Promise<void> {
    let done = 0;
    const write = async (known: KnownSets, isCurrent?: IsCurrent): Promise<void> => {
      const seeds = { records: known.records, item_ids: [] };
      const look: Look<null> = async (tx, circumstances) => ({
        found: null,
        differs: await recompute(tx.reconciliation, seeds, circumstances, known),
      });
      await this.#step(look, isCurrent);
      done += known.records.length;
      this.#report('sets', done);
    };
    const dates = [...this.#unsearched.values()];
    const of_company = [this.#ports, this.#company_id] as const;
    const walks = this.#options.check_only
      ? joinDates(dates, 2 * covering_reach_days).map((range) => sweepLeftovers(...of_company, range, write))
      : [walkLeftovers(...of_company, write, dates)];
    for (const walk of walks) for await (const _ of walk) this.#options.signal?.throwIfAborted();
  }

  async #walkCells(): Promise<void> {
    const { items, different } = await mendCells(this.#ports, this.#company_id, this.#options.check_only);
    this.#found.items = items;
    this.#found.cells_different = different;
    this.#report('cells', different);
  }

  /**
   * Looks without a lock first: while nothing differs, nobody waits for a rebuild. Else it looks again
   * in a transaction that has the company, and mends what differs then.
   */
  async #step<Found>(look: Look<Found>, isCurrent: IsCurrent = () => true): Promise<Found> {
    const { unitOfWork } = this.#ports;
    this.#options.signal?.throwIfAborted();
    const seen = await unitOfWork.read(async (tx) => look(tx, await this.#circumstances(tx)));
    if (this.#options.check_only || isUnchanged(seen.differs.changes)) return this.#note(seen);
    const mended = await unitOfWork.run(async (tx) => {
      const progress = await tx.reconciliation.lockCompany(this.#company_id);
      if (!isCurrent(progress)) return { ...seen, differs: differsIn(noItemChanges(this.#company_id)) };
      const circumstances = await this.#circumstances(tx);
      const looked = await look(tx, circumstances);
      await writeRecomputed(tx, looked.differs, circumstances.now_ms);
      await noteUnsearched(tx, progress, looked.differs);
      return looked;
    });
    return this.#note(mended);
  }

  #note<Found>({ found, differs }: Looked<Found>): Found {
    const { changes, items, changed, is_searched } = differs;
    if (!is_searched) for (const dates of changed) this.#unsearched.set(`${dates.currency} ${dates.from}`, dates);
    this.#found.items_different += items.length;
    this.#found.entries_different += entriesChanged(changes);
    return found;
  }

  async #circumstances({ reconciliation }: ReconciliationTx): Promise<Circumstances> {
    const now = await readCircumstances(reconciliation, this.#company_id, this.#ports.clock.nowMs());
    return { ...now, leftovers_max: this.#options.leftovers_max };
  }

  #report(phase: RebuildPhase, done: number): void {
    this.#options.onProgress?.({ company_id: this.#company_id, phase, done });
  }
}

/** What a step walks, and what differs there. */
interface Looked<Found> {
  readonly found: Found;
  readonly differs: Recomputed;
}

type Look<Found> = (tx: ReconciliationTx, circumstances: Circumstances) => Promise<Looked<Found>>;

/** Differences of entries only. */
function differsIn(changes: ItemChanges): Recomputed {
  return { changes, items: [], changed: [], is_searched: true };
}

/** The keys of the entries of these records, by `itemIdOf`. A line without an item has none. */
async function keysOf(
  { reconciliation }: ReconciliationTx,
  company_id: number,
  records: readonly RecordKey[],
): Promise<ReadonlyMap<number, string>> {
  const clearings = await reconciliation.clearings(company_id, idsOfKind('clearing', records));
  const lines = (await reconciliation.lines(company_id, idsOfKind('line', records))).filter(hasItemOfLine);
  return new Map(entryPlacesOf({ clearings, lines }).map(({ key, record }) => [itemIdOf(record), key]));
}
