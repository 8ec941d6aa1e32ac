import {
  type Authorization,
  type AuthorizationMessage,
  ByNumberIndex,
  type CandidateKey,
  type Clearing,
  joinMerchants,
  joinSearches,
  type LedgerCard,
  type LedgerState,
  type Lookup,
  type MerchantSearch,
  merchantSearch,
  type NeighbourQuestions,
  NeighbourSearch,
  needsNeighbours,
  neighbours_max,
  partsOfKey,
  pastWindowsOf,
  type Records,
  type ReleaseMessage,
  type RematchLookup,
  readsReferring,
  referenceKeys,
  suspectNumbers,
} from '@tallystick/cards';
import { type Clock, Fault, money } from '@tallystick/kernel';
import { type CardRow, cardOf } from '../schema/records/card-rows.ts';
import { type AuthorizationRow, authorizationOf, type ClearingRow, clearingOf } from '../schema/records/record-rows.ts';
import { idsAfter, idsNeeded, type TemplateRules } from './ledger-rows.ts';
import { SearchedMerchants } from './searched-merchants.ts';
import type { LedgerStatements } from './sqlite-ledger-statements.ts';
import type { SqliteLookups } from './sqlite-lookups.ts';

/** The prepared reads of a pass. */
export interface Reads {
  readonly statements: LedgerStatements;
  readonly lookups: SqliteLookups;
}

export function loadState(
  reads: Reads,
  templates: TemplateRules,
  clock: Clock,
  messages: readonly Lookup[],
): LedgerState {
  const loaded = new Loaded(reads, templates);
  const of_cards = messages.map((message) => ({ message, card: loaded.card(message) }));
  // The transaction holds the only write lock, so every card is locked now.
  const now_ms = clock.nowMs();
  loaded.dueHolds(now_ms);
  loaded.lookUp(suspectNumbers(messages));
  for (const { message, card } of of_cards) {
    if (message.kind === 'authorization' && card !== null) loaded.trace(card, message);
    if (message.kind === 'release' && card !== null) loaded.named(message);
    if (message.kind === 'rematch' && card !== null) loaded.matchedByHand(card, message);
  }
  const by_card = messagesByCard(of_cards);
  loaded.clearingCandidates(of_cards, by_card, now_ms);
  loaded.rootsOfClearings();
  loaded.neighbours(by_card, now_ms);
  return loaded.state(now_ms, idsNeeded(messages));
}

export function loadDue(reads: Reads, templates: TemplateRules, clock: Clock, limit: number): LedgerState {
  const loaded = new Loaded(reads, templates);
  const now_ms = clock.nowMs();
  for (const row of reads.statements.cards_due.all(now_ms, limit)) loaded.keepCard(row);
  loaded.dueHolds(now_ms);
  return loaded.state(now_ms, idsNeeded([]));
}

/** A message and its card, or null when there is none. */
interface MessageOfCard {
  readonly message: Lookup;
  readonly card: LedgerCard | null;
}

type MessagesByCard = ReadonlyMap<LedgerCard, readonly Lookup[]>;

function messagesByCard(messages: readonly MessageOfCard[]): MessagesByCard {
  const by_card = new Map<LedgerCard, Lookup[]>();
  for (const { message, card } of messages) {
    if (card === null) continue;
    const its = by_card.get(card);
    if (its === undefined) by_card.set(card, [message]);
    else its.push(message);
  }
  return by_card;
}

/** What a pass has read, each row once. */
class Loaded {
  readonly #statements: LedgerStatements;
  readonly #lookups: SqliteLookups;
  readonly #templates: TemplateRules;
  readonly #cards = new Map<number, LedgerCard>();
  /** The card of each number that was looked up; null when there is none. */
  readonly #by_number = new ByNumberIndex<LedgerCard | null>();
  /** The trace ids that were looked up, by the card of their authorization messages. */
  readonly #traces = new Map<number, string[]>();
  readonly #authorizations = new Map<number, Authorization>();
  readonly #clearings = new Map<number, Clearing>();
  readonly #cut_card_ids: number[] = [];
  readonly #overtaken_clearing_ids: number[] = [];
  /** The roots of a card with a key, by the id of the card and the key. */
  readonly #roots_by = new Map<string, readonly Authorization[]>();
  /** The clearings of a card with a key, in the same way. */
  readonly #clearings_by = new Map<string, readonly Clearing[]>();
  readonly #searched = new SearchedMerchants();
  #known_numbers: readonly Uint8Array[] = [];

  constructor({ statements, lookups }: Reads, templates: TemplateRules) {
    this.#statements = statements;
    this.#lookups = lookups;
    this.#templates = templates;
  }

  /** The card of a message, or null when there is none. */
  card(message: Lookup): LedgerCard | null {
    const index = message.number_index;
    if (index === null) {
      const id = message.vcn_id;
      return id === null ? null : (this.#cards.get(id) ?? this.keepCard(this.#statements.card_by_id.get(id)));
    }
    const known = this.#by_number.get(index);
    if (known !== undefined) return known;
    const card = this.keepCard(this.#statements.card_by_number.get(index));
    this.#by_number.add(index, card);
    return card;
  }

  /** Finds those of the numbers that cards have. */
  lookUp(number_indexes: readonly Uint8Array[]): void {
    this.#known_numbers = number_indexes.filter((index) => this.#statements.is_number.get(index) !== undefined);
  }

  keepCard(row: CardRow | undefined): LedgerCard | null {
    if (row === undefined) return null;
    const known = this.#cards.get(row.id);
    if (known !== undefined) return known;
    const card = cardOf(row, this.#template(row.template_id));
    this.#cards.set(card.id, card);
    return card;
  }

  /** Loads the open holds of the found cards whose end has come. */
  dueHolds(now_ms: number): void {
    for (const card of this.#cards.values()) {
      const { next_hold_end_ms } = card.counters;
      if (next_hold_end_ms === null || next_hold_end_ms > now_ms) continue;
      this.#keepAuthorizations(this.#lookups.holdsDueAndNext(card.id, now_ms));
    }
  }

  /** Loads the card's messages with the trace id of this one, and their roots. */
  trace(card: LedgerCard, message: AuthorizationMessage): void {
    const traces = this.#traces.get(card.id);
    if (traces === undefined) this.#traces.set(card.id, [message.trace_id]);
    else if (traces.includes(message.trace_id)) return;
    else traces.push(message.trace_id);
    const rows = this.#lookups.byTrace(card.id, message.trace_id);
    this.#keepAuthorizations(rows);
    for (const { root_id } of rows) {
      if (root_id !== null && !this.#authorizations.has(root_id)) {
        this.#keepAuthorizations(this.#statements.authorization.all(root_id));
      }
    }
  }

  /** Loads the authorization whose hold is to end. */
  named({ authorization_id }: ReleaseMessage): void {
    this.#keepAuthorizations(this.#statements.authorization.all(authorization_id));
  }

  /** Loads what a person matches, the clearings of both authorizations, and what refers to it. */
  matchedByHand(card: LedgerCard, { authorization_id: chosen_id, clearing_id, seen_acts }: RematchLookup): void {
    if (chosen_id !== null) this.#keepAuthorizations(this.#statements.authorization.all(chosen_id));
    const clearings = this.#keepClearings(this.#statements.clearing.all(clearing_id));
    for (const id of new Set([chosen_id, clearings[0]?.authorization_id ?? null])) {
      if (id !== null) this.#keepClearings(this.#statements.clearings_of_root.all(id, neighbours_max + 1));
    }
    this.#referring(card.id, clearings);
    if (seen_acts === undefined) return;
    const { company_id, item_ids, newest_id, approval_id } = seen_acts;
    const records = JSON.stringify(seen_acts.records);
    const overtaking =
      this.#statements.newer_act.get(company_id, records, newest_id) ??
      this.#statements.waiting_act.get(company_id, records, approval_id) ??
      this.#statements.closed_item.get(JSON.stringify(item_ids));
    if (overtaking !== undefined) this.#overtaken_clearing_ids.push(clearing_id);
  }

  /** Loads the records that clearings may repeat, belong to, or reverse. */
  clearingCandidates(messages: readonly MessageOfCard[], messages_of: MessagesByCard, now_ms: number): void {
    const by_card = new Map<LedgerCard, { readonly searches: MerchantSearch[]; readonly referred: Set<Clearing> }>();
    for (const { message, card } of messages) {
      if (message.kind !== 'clearing') continue;
      const { network_financial_transaction_id: id } = message;
      this.#keepClearings(this.#statements.clearing_by_transaction.all({ id }));
      if (card === null) continue;
      let its = by_card.get(card);
      if (its === undefined) {
        its = { searches: [], referred: new Set() };
        by_card.set(card, its);
      }
      const roots: Authorization[] = [];
      for (const key of referenceKeys(message)) {
        roots.push(...this.#rootsBy(card.id, key));
        const clearings = this.#clearingsBy(card.id, key);
        if (readsReferring(message)) for (const clearing of clearings) its.referred.add(clearing);
      }
      const search = merchantSearch(message, { roots, has_authorization: this.#traces.has(card.id), now_ms });
      if (search !== null) its.searches.push(search);
    }
    if (by_card.size === 0) return;
    const known = Map.groupBy(this.#clearings.values(), ({ card_id }) => card_id);
    for (const [card, { searches, referred }] of by_card) {
      const asks_again = needsNeighbours(card, messages_of.get(card) ?? [], known.get(card.id) ?? []);
      for (const clearing of this.#ofMerchants(card.id, searches, asks_again)) referred.add(clearing);
      this.#referring(card.id, [...referred]);
    }
  }

  /** The roots of a card with a key, read once. */
  #rootsBy(card_id: number, key: CandidateKey): readonly Authorization[] {
    const asked = `${card_id} ${key}`;
    const known = this.#roots_by.get(asked);
    if (known !== undefined) return known;
    const found = this.#keepAuthorizations(this.#lookups.rootsByReference(card_id, key));
    this.#roots_by.set(asked, found);
    return found;
  }

  /** The clearings of a card with a key, read once. */
  #clearingsBy(card_id: number, key: CandidateKey): readonly Clearing[] {
    const asked = `${card_id} ${key}`;
    const known = this.#clearings_by.get(asked);
    if (known !== undefined) return known;
    const { kind, value } = partsOfKey(key);
    const found = this.#keepClearings(this.#statements.clearings_by[kind].all(card_id, value));
    this.#clearings_by.set(asked, found);
    return found;
  }

  /**
   * Loads what searches find through the history of a card, and with `asks_again` also what
   * `NeighbourSearch` asks about them. Returns the clearings that credits may refund.
   */
  #ofMerchants(card_id: number, searches: readonly MerchantSearch[], asks_again: boolean): readonly Clearing[] {
    if (searches.length === 0) return [];
    const joined = joinSearches(searches);
    const is_credit = joined.is_credit || asks_again;
    this.#keepAuthorizations(this.#lookups.rootsOfMerchants(card_id, { ...joined, is_credit }));
    if (is_credit) this.#searched.note(card_id, searches);
    const credits = searches.filter(({ is_credit }) => is_credit);
    if (credits.length === 0) return [];
    const { since_ms, merchant_ids } = joinSearches(credits);
    const search = { card_id, since_ms, merchant_ids: JSON.stringify(merchant_ids) };
    return this.#keepClearings(this.#statements.clearings_of_merchants.all(search));
  }

  /** Loads the roots that clearings were matched to and that no key leads to. */
  rootsOfClearings(): void {
    this.#readAuthorizations(this.#clearings.values().map(({ authorization_id }) => authorization_id ?? 0));
  }

  /** Loads what the match of other clearings depends on, of the cards for which it may change. */
  neighbours(by_card: MessagesByCard, now_ms: number): void {
    const roots = Map.groupBy(this.#authorizations.values(), ({ card_id }) => card_id);
    const clearings = Map.groupBy(this.#clearings.values(), ({ card_id }) => card_id);
    for (const [card, concerned] of by_card) {
      if (!needsNeighbours(card, concerned, clearings.get(card.id) ?? [])) continue;
      const search = new NeighbourSearch(card, concerned, now_ms);
      search.keep({ roots: roots.get(card.id) ?? [], clearings: clearings.get(card.id) ?? [] });
      for (let asked = search.next(); asked !== null; asked = search.next()) search.keep(this.#ask(asked));
      if (search.is_cut) this.#cut_card_ids.push(card.id);
    }
  }

  /** Finds ids by the indexes, and reads the rows that are not known. */
  #ask(asked: NeighbourQuestions): Records {
    const { card_id, clearings_max } = asked;
    const { clearing_ids_with: idsWith, unsettled_of_merchants } = this.#statements;
    const clearing_ids = [...asked.clearing_ids];
    const find = (kind: keyof typeof idsWith, values: readonly (number | string)[]): void => {
      if (values.length > 0) clearing_ids.push(...idsWith[kind].all(JSON.stringify(values), card_id, clearings_max));
    };
    const keys = Map.groupBy(asked.clearing_keys.map(partsOfKey), ({ kind }) => kind);
    for (const [kind, its] of keys)
      find(
        kind,
        its.map(({ value }) => value),
      );
    find('authorization_id', asked.clearings_of);
    find('clearing_id', asked.referring_to);
    if (asked.clearings_of_merchant.length > 0) {
      const { since_ms, merchant_ids, debit_merchant_ids } = joinMerchants(asked.clearings_of_merchant);
      const found = unsettled_of_merchants.all({
        card_id,
        since_ms,
        merchant_ids: JSON.stringify(merchant_ids),
        debit_merchant_ids: JSON.stringify(debit_merchant_ids),
        clearings_max,
      });
      clearing_ids.push(...found);
    }
    const unmade = this.#searched.unmade(card_id, asked.roots_of_merchant);
    const root_ids = [...asked.root_ids, ...this.#lookups.rootIdsByReferences(card_id, asked.root_keys)];
    return {
      roots: [
        ...this.#readAuthorizations(root_ids),
        ...(unmade.length === 0
          ? []
          : this.#keepAuthorizations(this.#lookups.rootsOfMerchants(card_id, joinSearches(unmade)))),
      ],
      clearings: this.#readClearings(clearing_ids),
    };
  }

  /** Reads those of the authorizations that are not known. 0 is the id of none. */
  #readAuthorizations(ids: Iterable<number>): readonly Authorization[] {
    const unknown = new Set(ids).difference(this.#authorizations);
    unknown.delete(0);
    if (unknown.size === 0) return [];
    return this.#keepAuthorizations(this.#statements.authorizations.all(JSON.stringify([...unknown])));
  }

  /** Reads those of the clearings that are not known. */
  #readClearings(ids: Iterable<number>): readonly Clearing[] {
    const unknown = new Set(ids).difference(this.#clearings);
    if (unknown.size === 0) return [];
    return this.#keepClearings(this.#statements.clearings.all(JSON.stringify([...unknown])));
  }

  /** Loads the clearings that refer to these of a card, and those that refer to them. */
  #referring(card_id: number, clearings: readonly Clearing[]): void {
    let ids = clearings.map(({ id }) => id);
    for (let level = 1; level <= 2 && ids.length > 0; level += 1) {
      const rows = this.#statements.clearings_referring.all(JSON.stringify(ids), card_id);
      ids = rows.map(({ id }) => id);
      this.#keepClearings(rows);
    }
  }

  /** The counters of the past windows in which the loaded rows count. Usually there are none. */
  #windows(): LedgerState['windows'] {
    const windowOf = (card_id: number) => {
      const card = this.#cards.get(card_id);
      return card && { recurring: card.recurring, window_start_ms: card.counters.window_start_ms };
    };
    return pastWindowsOf(this.#authorizations.values(), this.#clearings.values(), windowOf).map((key) => {
      return this.#statements.window.get(key) ?? { ...key, held: money(0), cleared: money(0), uses: 0 };
    });
  }

  state(now_ms: number, needed: ReturnType<typeof idsNeeded>): LedgerState {
    const its = this.#statements;
    const fresh = (table: string, count: number) => (count === 0 ? [] : idsAfter(its.last_id.get(table) ?? 0, count));
    return {
      now_ms,
      cards: [...this.#cards.values()],
      authorizations: [...this.#authorizations.values()],
      clearings: [...this.#clearings.values()],
      cut_card_ids: this.#cut_card_ids,
      overtaken_clearing_ids: this.#overtaken_clearing_ids,
      windows: this.#windows(),
      known_numbers: this.#known_numbers,
      authorization_ids: fresh('tallystick_authorizations', needed.authorizations),
      clearing_ids: fresh('tallystick_clearings', needed.clearings),
      event_ids: fresh('tallystick_events', needed.events),
    };
  }

  #template(id: number): LedgerCard['template'] {
    const kept = this.#templates.get(id);
    if (kept !== undefined) return kept;
    const row = this.#statements.template.get(id);
    if (row === undefined) throw new Fault(`template ${id} of a card is not there`, { retryable: false });
    return this.#templates.keep(id, row);
  }

  #keepAuthorizations(rows: readonly AuthorizationRow[]): Authorization[] {
    return rows.map((row) => {
      const authorization = this.#authorizations.get(row.id) ?? authorizationOf(row);
      this.#authorizations.set(row.id, authorization);
      return authorization;
    });
  }

  #keepClearings(rows: readonly ClearingRow[]): Clearing[] {
    return rows.map((row) => {
      const clearing = this.#clearings.get(row.id) ?? clearingOf(row);
      this.#clearings.set(row.id, clearing);
      return clearing;
    });
  }
}
