import { assert, money } from '@tallystick/kernel';
import { newCounters, type WindowCounters } from '../issuing/card.ts';
import {
  isFoundClearing,
  isFoundRoot,
  type MerchantSearch,
  merchantSearch,
  readsReferring,
  referenceKeys,
} from '../matching/match-candidates.ts';
import {
  isOfMerchant,
  type MerchantClearings,
  type NeighbourQuestions,
  NeighbourSearch,
  needsNeighbours,
} from '../matching/neighbour-search.ts';
import type { Authorization } from '../records/authorization.ts';
import type { Clearing, Records } from '../records/clearing.ts';
import { isEndingHold } from '../records/hold-lifetime.ts';
import type { LedgerCard, LedgerChanges, LedgerState, Lookup, NetworkMessage, PastWindow } from '../records/ledger.ts';
import { lookupsOf } from '../records/ledger.ts';
import { pastWindowsOf } from '../settling/past-window.ts';
import { HoldQueue } from './hold-queue.ts';
import { RecordIndex } from './record-index.ts';

/** A card without what its history makes of it. */
export type ReplayedCard = Omit<LedgerCard, 'counters' | 'provisional_clearings' | 'settled_through'>;

/** The ids that the recorded message got. */
export type ReplayedIds = Pick<LedgerState, 'authorization_ids' | 'clearing_ids' | 'event_ids'>;

/**
 * The records of one card while its history is replayed, with indexes, so that what a message needs
 * is found without reading the rest. It returns what `LedgerState` promises, as a ledger does.
 */
export class ReplayedState {
  readonly #authorizations = new RecordIndex<Authorization>(keysOfAuthorization);
  readonly #clearings = new RecordIndex<Clearing>(keysOfClearing);
  readonly #windows = new Map<number, PastWindow>();
  readonly #holds = new HoldQueue();
  #counters: LedgerCard['counters'];
  #provisional_clearings = 0;
  #settled_through: string | null = null;

  /** Begins with a new card, in the window of this start. */
  constructor(window_start_ms: number) {
    this.#counters = newCounters(window_start_ms);
  }

  authorization(id: number): Authorization | undefined {
    return this.#authorizations.get(id);
  }

  clearing(id: number): Clearing | undefined {
    return this.#clearings.get(id);
  }

  /** What a pass over this message would load. */
  load(card: ReplayedCard, message: NetworkMessage, now_ms: number, ids: ReplayedIds): LedgerState {
    const its: LedgerCard = {
      ...card,
      counters: this.#counters,
      provisional_clearings: this.#provisional_clearings,
      settled_through: this.#settled_through,
    };
    const found = new Found();
    found.keep({ roots: this.#dueHolds(now_ms) });
    const lookups = lookupsOf(message);
    for (const lookup of lookups) this.#loadFor(lookup, found, now_ms);
    const cut_card_ids = this.#loadNeighbours(its, lookups, found, now_ms) ? [card.id] : [];
    for (const { authorization_id } of found.clearings.values()) {
      const root = this.#authorizations.get(authorization_id);
      if (root !== undefined) found.keep({ roots: [root] });
    }
    const authorizations = [...found.roots.values()];
    const clearings = [...found.clearings.values()];
    const { window_start_ms } = this.#counters;
    const present = { recurring: card.recurring, window_start_ms };
    const windows = pastWindowsOf(authorizations, clearings, () => present).map(
      (key) => this.#windows.get(key.window_start_ms) ?? { ...key, ...unused },
    );
    return { now_ms, cards: [its], authorizations, clearings, cut_card_ids, known_numbers: [], windows, ...ids };
  }

  /** Keeps what a fold changed. */
  apply(changes: LedgerChanges): void {
    for (const { counters } of changes.counters) this.#counters = counters;
    for (const window of changes.windows) this.#windows.set(window.window_start_ms, window);
    for (const authorization of changes.authorizations_inserted) this.#putAuthorization(authorization);
    for (const change of changes.authorizations_changed) {
      const before = this.#authorizations.get(change.id);
      assert(before !== undefined, `authorization ${change.id} was changed but is not of the replay`);
      this.#putAuthorization({ ...before, ...change } as Authorization);
    }
    for (const clearing of changes.clearings_inserted) this.#putClearing(clearing);
    for (const change of changes.clearings_changed) {
      const before = this.#clearings.get(change.id);
      assert(before !== undefined, `clearing ${change.id} was changed but is not of the replay`);
      this.#putClearing({ ...before, ...change });
    }
  }

  #putAuthorization(authorization: Authorization): void {
    this.#authorizations.put(authorization);
    if (isEndingHold(authorization)) this.#holds.add(authorization);
  }

  #putClearing(clearing: Clearing): void {
    const before = this.#clearings.get(clearing.id);
    this.#clearings.put(clearing);
    this.#provisional_clearings +=
      Number(clearing.match_rule > 2) - Number(before !== undefined && before.match_rule > 2);
    if (clearing.settlement_date > (this.#settled_through ?? '')) this.#settled_through = clearing.settlement_date;
  }

  /** The ended open holds, and of the others the one that ends first; none before the first end. */
  #dueHolds(now_ms: number): readonly Authorization[] {
    const { next_hold_end_ms } = this.#counters;
    if (next_hold_end_ms === null || next_hold_end_ms > now_ms) return [];
    const due: Authorization[] = [];
    for (let first = this.#holds.first; first !== undefined; first = this.#holds.first) {
      const hold = this.#authorizations.get(first.id)!;
      const is_so = isEndingHold(hold) && hold.hold_end_ms === first.end_ms;
      if (is_so) due.push(hold);
      if (is_so && first.end_ms > now_ms) break;
      this.#holds.removeFirst();
    }
    return due;
  }

  #loadFor(message: Lookup, found: Found, now_ms: number): void {
    switch (message.kind) {
      case 'authorization': {
        const rows = [...this.#authorizations.of(`trace ${message.trace_id}`)];
        const roots = rows.flatMap(({ root_id }) => this.#authorizations.get(root_id) ?? []);
        found.keep({ roots: [...rows, ...roots] });
        return;
      }
      case 'clearing': {
        found.keep({ clearings: this.#clearings.of(`transaction ${message.network_financial_transaction_id}`) });
        const keys = referenceKeys(message);
        const named = keys.flatMap((key) => [...this.#authorizations.of(key)]);
        const search = merchantSearch(message, { roots: named, has_authorization: false, now_ms });
        const roots = search === null ? [] : this.#rootsOfMerchant(search);
        const clearings = keys.flatMap((key) => [...this.#clearings.of(key)]);
        if (search?.is_credit === true) clearings.push(...this.#clearingsSince(search));
        found.keep({ roots: [...named, ...roots], clearings });
        if (readsReferring(message)) this.#keepReferring(clearings, found);
        return;
      }
      case 'release':
        found.keep({ roots: this.#named(message.authorization_id) });
        return;
      case 'rematch': {
        const { clearing_id, authorization_id } = message;
        const clearing = this.#clearings.get(clearing_id);
        if (clearing === undefined) return;
        const root_ids = [authorization_id, clearing.authorization_id].filter((id) => id !== null);
        found.keep({
          roots: this.#named(authorization_id),
          clearings: [clearing, ...root_ids.flatMap((id) => [...this.#clearings.of(`authorization_id ${id}`)])],
        });
        this.#keepReferring([clearing], found);
      }
    }
  }

  #named(id: number | null): readonly Authorization[] {
    const root = this.#authorizations.get(id);
    return root === undefined ? [] : [root];
  }

  /** Keeps the clearings that refer to these, and those that refer to them. */
  #keepReferring(clearings: readonly Clearing[], found: Found): void {
    const referring = clearings.flatMap(({ id }) => [...this.#clearings.of(`clearing_id ${id}`)]);
    const to_these = referring.flatMap(({ id }) => [...this.#clearings.of(`clearing_id ${id}`)]);
    found.keep({ clearings: [...referring, ...to_these] });
  }

  *#rootsOfMerchant(search: MerchantSearch): Generator<Authorization> {
    const { merchant_id, merchant_amount, billing_amount, since_ms } = search;
    for (const amount of new Set([merchant_amount ?? billing_amount, billing_amount])) {
      for (const root of this.#authorizations.of(`amount ${amount} ${merchant_id}`)) {
        if (root.decided_at_ms < since_ms) break;
        if (isFoundRoot(search, root)) yield root;
      }
    }
  }

  *#clearingsSince(search: MerchantSearch): Generator<Clearing> {
    for (const clearing of this.#clearings.of(`merchant ${search.merchant_id}`)) {
      if (clearing.recorded_at_ms < search.since_ms) break;
      if (isFoundClearing(search, clearing)) yield clearing;
    }
  }

  *#clearingsOfMerchant(asked: MerchantClearings): Generator<Clearing> {
    const key = asked.debits ? 'merchant' : 'unsettled';
    for (const clearing of this.#clearings.of(`${key} ${asked.merchant_id}`)) {
      if (clearing.recorded_at_ms < asked.since_ms) break;
      if (isOfMerchant(asked, clearing)) yield clearing;
    }
  }

  /** Loads the neighbours of the messages. Returns whether some are missing. */
  #loadNeighbours(card: LedgerCard, lookups: readonly Lookup[], found: Found, now_ms: number): boolean {
    if (!needsNeighbours(card, lookups, found.clearings.values())) return false;
    const search = new NeighbourSearch(card, lookups, now_ms);
    search.keep({ roots: [...found.roots.values()], clearings: [...found.clearings.values()] });
    for (let asked = search.next(); asked !== null; asked = search.next()) {
      const records = this.#neighbours(asked);
      search.keep(records);
      found.keep(records);
    }
    return search.is_cut;
  }

  #neighbours(asked: NeighbourQuestions): Records {
    const roots = [
      ...asked.root_ids.flatMap((id) => this.#named(id)),
      ...asked.root_keys.flatMap((key) => [...this.#authorizations.of(key)]),
      ...asked.roots_of_merchant.flatMap((search) => [...this.#rootsOfMerchant(search)]),
    ];
    const clearings = new Map<number, Clearing>();
    const keep = (its: Iterable<Clearing>) => {
      for (const clearing of its) {
        if (clearings.size >= asked.clearings_max) return;
        clearings.set(clearing.id, clearing);
      }
    };
    for (const id of asked.clearing_ids) {
      const clearing = this.#clearings.get(id);
      if (clearing !== undefined) keep([clearing]);
    }
    for (const key of asked.clearing_keys) keep(this.#clearings.of(key));
    for (const id of asked.clearings_of) keep(this.#clearings.of(`authorization_id ${id}`));
    for (const id of asked.referring_to) keep(this.#clearings.of(`clearing_id ${id}`));
    for (const merchant of asked.clearings_of_merchant) keep(this.#clearingsOfMerchant(merchant));
    return { roots, clearings: [...clearings.values()] };
  }
}

/** The records that a message needs, each once. */
class Found {
  readonly roots = new Map<number, Authorization>();
  readonly clearings = new Map<number, Clearing>();

  keep({
    roots = [],
    clearings = [],
  }: {
    readonly roots?: Iterable<Authorization>;
    readonly clearings?: Iterable<Clearing>;
  }) {
    for (const root of roots) this.roots.set(root.id, root);
    for (const clearing of clearings) this.clearings.set(clearing.id, clearing);
  }
}

const unused: Omit<WindowCounters, 'window_start_ms'> = { held: money(0), cleared: money(0), uses: 0 };

function keysOfAuthorization(row: Authorization): readonly string[] {
  const { id, root_id, trace_id, merchant_id, merchant_amount, billing_amount, authorized } = row;
  const trace = `trace ${trace_id}`;
  if (root_id !== id) return [trace];
  const amounts = merchant_id === null ? [] : [...new Set([merchant_amount, billing_amount, authorized])];
  return [trace, ...referenceKeys(row), ...amounts.map((amount) => `amount ${amount} ${merchant_id}`)];
}

function keysOfClearing(row: Clearing): readonly string[] {
  const { network_financial_transaction_id, paired_transaction_id, authorization_id, clearing_id, merchant_id } = row;
  const keys: string[] = [`transaction ${network_financial_transaction_id}`, ...referenceKeys(row)];
  if (paired_transaction_id !== null) keys.push(`transaction ${paired_transaction_id}`);
  if (authorization_id !== null) keys.push(`authorization_id ${authorization_id}`);
  if (clearing_id !== null) keys.push(`clearing_id ${clearing_id}`);
  if (merchant_id !== null) keys.push(`merchant ${merchant_id}`);
  if (merchant_id !== null && row.match_rule > 3) keys.push(`unsettled ${merchant_id}`);
  return keys;
}
