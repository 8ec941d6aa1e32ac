import type { Call, FourEyes } from '@tallystick/kernel';
import type { Act } from '../act.ts';
import { type Approval, byRecord } from '../approvals/approval.ts';
import type { Item } from '../item.ts';
import { byId, idsOfKind, itemIdOf, type RecordKey, recordsOf } from '../item-id.ts';
import { findSeenItems, type SeenItem } from '../items/read-items.ts';
import { periodsOf } from '../periods/periods-of-items.ts';
import type { Period, ReconciliationTx } from '../ports.ts';
import type { AuthorizedPurchase, CardLine, ClearedAmount, Tolerances } from '../records.ts';
import { type ActRequest, concernedIds } from './act-request.ts';

/** A request to act on an item. */
export interface AskedAct {
  readonly item_id: number;
  readonly request: ActRequest;
}

/**
 * Everything that acts are planned from, read for many of them at once: the items that they concern,
 * with their histories, and the records of these items and of what the acts name.
 */
export class KnownRecords {
  readonly purchases: ReadonlyMap<number, AuthorizedPurchase>;
  readonly clearings: ReadonlyMap<number, ClearedAmount>;
  readonly lines: ReadonlyMap<number, CardLine>;
  /** The closed periods of the items. */
  readonly periods: ReadonlyMap<number, Period>;
  readonly four_eyes: FourEyes | null;
  /** Empty unless an act is a match. */
  readonly tolerances: Tolerances;
  #without_sets: KnownRecords | null = null;
  /** By the id of each of their records. */
  readonly #seen: ReadonlyMap<number, SeenItem>;
  /** Those that are open, by the id of each record that they are about. */
  readonly approvals: ReadonlyMap<number, Approval>;

  private constructor(
    seen: ReadonlyMap<number, SeenItem>,
    records: Pick<
      KnownRecords,
      'purchases' | 'clearings' | 'lines' | 'periods' | 'tolerances' | 'four_eyes' | 'approvals'
    >,
  ) {
    this.#seen = seen;
    this.purchases = records.purchases;
    this.clearings = records.clearings;
    this.lines = records.lines;
    this.periods = records.periods;
    this.tolerances = records.tolerances;
    this.four_eyes = records.four_eyes;
    this.approvals = records.approvals;
  }

  /** Costs the same few queries however many acts there are, and one for each closed period. */
  static async read(
    tx: Pick<ReconciliationTx, 'reconciliation'>,
    { company_id }: Pick<Call, 'company_id'>,
    asked: readonly AskedAct[],
  ): Promise<KnownRecords> {
    const store = tx.reconciliation;
    const seen = await findSeenItems(tx, { company_id }, [...new Set(asked.flatMap(concernedIds))]);
    const itemsOf = (ids: readonly number[]) => [...new Set(ids.flatMap((id) => seen.get(id)?.item ?? []))];
    const own = asked.map(({ item_id }) => item_id);
    const matching = asked.filter(({ request }) => request.with !== null);
    const matched = itemsOf(matching.map(({ item_id }) => item_id));
    // What is left of an authorization depends on all its clearings.
    const accepting = asked.filter(({ request }) => request.accept_difference).flatMap(concernedIds);
    const named = matching.flatMap(({ request }) => recordsOf(request.with!));
    const idsOf = (kind: RecordKey['kind'], items: readonly Item[]) =>
      idsOfKind(kind, [...items.flatMap(recordsOf), ...named]);
    const by_record = [...seen.values()].flatMap((one) =>
      recordsOf(one.item).map((key) => [itemIdOf(key), one] as const),
    );
    const all_records = [...new Set(seen.values().map(({ item }) => item))].flatMap(recordsOf);
    const [purchases, clearings, lines, periods, tolerances, four_eyes, approvals] = await Promise.all([
      store.authorizations(company_id, idsOf('authorization', matched)),
      store.clearings(company_id, idsOf('clearing', itemsOf([...own, ...accepting]))),
      store.lines(company_id, idsOf('line', itemsOf(own))),
      periodsOf(
        store,
        company_id,
        seen.values().map(({ item }) => item),
      ),
      matched.length === 0 ? new Map() : store.readTolerances(company_id),
      store.readFourEyes(company_id),
      store.openApprovals(company_id, all_records),
    ]);
    // What was asked for comes last: an id may name another item than its records do.
    return new KnownRecords(new Map([...by_record, ...seen]), {
      purchases: byId(purchases),
      clearings: byId(clearings),
      lines: byId(lines),
      periods,
      tolerances,
      four_eyes,
      approvals: byRecord(approvals),
    });
  }

  /** The same records, as if no covering set had joined any of them. */
  withoutCoveringSets(): KnownRecords {
    if (this.#without_sets === null) {
      const without = new Map([...new Set(this.#seen.values())].map((seen) => [seen, withoutCoveringSets(seen)]));
      this.#without_sets = new KnownRecords(
        new Map([...this.#seen].map(([id, seen]) => [id, without.get(seen)!])),
        this,
      );
    }
    return this.#without_sets;
  }

  /** The item that has the record with this `itemIdOf`; null for an unknown one. */
  seenItem(item_id: number): SeenItem | null {
    return this.#seen.get(item_id) ?? null;
  }

  /** The act about the item that waits for a second person; null: none does. */
  openApprovalOf(item: Item): Approval | null {
    return recordsOf(item).flatMap((record) => this.approvals.get(itemIdOf(record)) ?? [])[0] ?? null;
  }

  /** The items that have these records, each once. */
  itemsOf(records: readonly RecordKey[]): readonly SeenItem[] {
    return [...new Set(records.flatMap((record) => this.#seen.get(itemIdOf(record)) ?? []))];
  }

  /** The acts that concern the items of these records, in the order in which they were recorded. */
  actsOnItemsOf(records: readonly RecordKey[]): readonly Act[] {
    const acts = new Set(this.itemsOf(records).flatMap(({ history }) => history));
    return [...acts].sort((a, b) => a.id - b.id);
  }
}

function withoutCoveringSets({ item, history }: SeenItem): SeenItem {
  return { item: { ...item, matches: item.matches.filter(({ rule }) => rule !== 'covering_set') }, history };
}
