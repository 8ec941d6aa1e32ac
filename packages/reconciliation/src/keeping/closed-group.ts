import type { Item } from '../item.ts';
import { itemIdOf, type RecordKey, type RecordKind, recordsOf } from '../item-id.ts';
import { type EntryPlace, entryKeyOfClearing, entryKeyOfLine, isPairingKey } from '../pairing/entry-key.ts';
import type { Entry, ReconciliationStore } from '../ports.ts';
import type { AuthorizedPurchase, CardLine, ClearedAmount } from '../records.ts';

/**
 * Loads closed groups: everything that the records of a change may be in one item with, and the
 * items that have any of them. Records lead to each other by their authorization, by the clearing
 * that they refer to, by their statement key and by their item. Each round asks for all that the
 * round before has named, with one statement for each kind of question.
 */
export class ClosedGroup {
  readonly purchases = new Map<number, AuthorizedPurchase>();
  readonly clearings = new Map<number, ClearedAmount>();
  readonly lines = new Map<number, CardLine>();
  readonly items = new Map<number, Item>();
  /**
   * The entries of these clearings and lines under their statement keys, by the record's own id.
   */
  readonly entries = new Map<number, Entry>();

  readonly #store: ReconciliationStore;
  readonly #company_id: number;
  readonly #asked = {
    authorization: new Set<number>(),
    clearing: new Set<number>(),
    line: new Set<number>(),
    items: new Set<number>(),
    keys: new Set<string>(),
  };
  #pending = emptyQuestions();

  constructor(store: ReconciliationStore, company_id: number) {
    this.#store = store;
    this.#company_id = company_id;
  }

  addRecord({ kind, id }: RecordKey): void {
    this.#ask(kind, id);
  }

  addItem(id: number): void {
    this.#ask('items', id);
  }

  #ask(of: RecordKind | 'items', id: number): void {
    if (this.#asked[of].has(id)) return;
    this.#asked[of].add(id);
    this.#pending[of].push(id);
  }

  /** Whether the record is in the group, or was asked for and does not exist. */
  has({ kind, id }: RecordKey): boolean {
    return this.#asked[kind].has(id);
  }

  records(): readonly RecordKey[] {
    return recordsOf({
      authorization_ids: [...this.purchases.keys()],
      clearing_ids: [...this.clearings.keys()],
      line_ids: [...this.lines.keys()],
    });
  }

  /** The key of the entry of a clearing or line of the group. */
  keyOf({ kind, id }: RecordKey): string {
    return kind === 'line' ? entryKeyOfLine(this.lines.get(id)!) : entryKeyOfClearing(this.clearings.get(id)!);
  }

  /** Loads until nothing that is loaded names anything else. */
  async load(): Promise<void> {
    while (isAsking(this.#pending)) {
      const asked = this.#pending;
      this.#pending = emptyQuestions();
      const store = this.#store;
      const company_id = this.#company_id;
      // Asked together, so that the database works on one question while the last answer is processed.
      await Promise.all([
        store.clearings(company_id, asked.clearing).then((found) => this.#keepClearings(found)),
        store.clearingsReferring(company_id, asked.clearing).then((found) => this.#keepClearings(found)),
        store.clearingIdsOf(asked.authorization).then((clearing_ids) => {
          for (const record of recordsOf({ clearing_ids })) this.addRecord(record);
        }),
        store.authorizations(company_id, asked.authorization).then((found) => this.#keepPurchases(found)),
        store.lines(company_id, asked.line).then((found) => this.#keepLines(found)),
        store.entries(company_id, asked.keys).then((found) => this.#keepEntries(found)),
        store.entriesOf(company_id, asked.places).then((found) => this.#keepEntries(found)),
        store.items(company_id, asked.items).then((found) => this.#keepItems(found)),
      ]);
    }
  }

  #keepClearings(clearings: readonly ClearedAmount[]): void {
    for (const clearing of clearings) {
      const { id, authorization_id, clearing_id } = clearing;
      if (this.clearings.has(id)) continue;
      this.clearings.set(id, clearing);
      this.#asked.clearing.add(id);
      if (authorization_id !== null) this.addRecord({ kind: 'authorization', id: authorization_id });
      if (clearing_id !== null) this.addRecord({ kind: 'clearing', id: clearing_id });
      this.#askForEntry(entryKeyOfClearing(clearing), { kind: 'clearing', id });
    }
  }

  #keepPurchases(purchases: readonly AuthorizedPurchase[]): void {
    for (const purchase of purchases) {
      this.purchases.set(purchase.id, purchase);
      this.addItem(itemIdOf({ kind: 'authorization', id: purchase.id }));
    }
  }

  #keepLines(lines: readonly CardLine[]): void {
    for (const line of lines) {
      this.lines.set(line.id, line);
      this.#askForEntry(entryKeyOfLine(line), { kind: 'line', id: line.id });
    }
  }

  /**
   * A key of a reference leads to all its records. Without one the record only has its own entry.
   */
  #askForEntry(key: string, record: RecordKey): void {
    if (!isPairingKey(key)) {
      this.#pending.places.push({ key, record });
    } else if (!this.#asked.keys.has(key)) {
      this.#asked.keys.add(key);
      this.#pending.keys.push(key);
    }
  }

  #keepEntries(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entries.set(itemIdOf(entry.record), entry);
      this.addRecord(entry.record);
      this.addItem(entry.item_id);
    }
  }

  #keepItems(items: readonly Item[]): void {
    for (const item of items) {
      this.items.set(item.id, item);
      for (const record of recordsOf(item)) this.addRecord(record);
    }
  }
}

function emptyQuestions() {
  return {
    authorization: [] as number[],
    clearing: [] as number[],
    line: [] as number[],
    items: [] as number[],
    keys: [] as string[],
    places: [] as EntryPlace[],
  };
}

function isAsking(questions: ReturnType<typeof emptyQuestions>): boolean {
  return Object.values(questions).some((asked) => asked.length > 0);
}
