import {
  type Authorization,
  ByNumberIndex,
  CardsHeld,
  type Clearing,
  joinSearches,
  type LedgerCard,
  type LedgerState,
  type Lookup,
  type MerchantSearch,
  merchantSearch,
  type NeighbourQuestions,
  NeighbourSearch,
  needsNeighbours,
  partsOfKey,
  pastWindowsOf,
  readsReferring,
  referenceKeys,
  suspectNumbers,
} from '@tallystick/cards';
import { type Clock, Fault } from '@tallystick/kernel';
import type { PoolClient } from 'pg';
import { faultOf } from '../connection/faults.ts';
import type { NamedQuery } from '../connection/postgres/named-query.ts';
import { sendTogether } from '../connection/postgres/send-together.ts';
import { type CardRow, cardOf } from '../schema/records/card-rows.ts';
import { type AuthorizationRow, authorizationOf, type ClearingRow, clearingOf } from '../schema/records/record-rows.ts';
import { idsNeeded, type TemplateRules } from './ledger-rows.ts';
import {
  authorizationsById,
  begin,
  type ClearingKeys,
  cardsNamed,
  clearingsByReference,
  clearingsMatchedByHand,
  clearingsOfMerchants,
  codeOf,
  drawIds,
  hex,
  lock_not_available,
  lockActs,
  lockByNumber,
  lockByNumberOrId,
  lockDue,
  type NamedCard,
  neighbourClearings,
  numbersAmong,
  overtakenClearings,
  type SeenActsOfClearing,
  templatesById,
} from './postgres-ledger-statements.ts';
import { type CardSearch, postgres_lookups, type ReferenceSearch } from './postgres-lookups.ts';
import { SearchedMerchants } from './searched-merchants.ts';

export interface Reads {
  readonly client: PoolClient;
  readonly held_ms_max: number;
}

export interface LoadedState {
  readonly state: LedgerState;
  /** The database's clock when it read; null for a pass without a deadline. */
  readonly database_ms: number | null;
}

export type Load = (reads: Reads) => Promise<LoadedState>;

export async function loadState(
  { client, held_ms_max }: Reads,
  templates: TemplateRules,
  clock: Clock,
  messages: readonly Lookup[],
): Promise<LoadedState> {
  const needed = idsNeeded(messages);
  const asked = keysOf(messages);
  const queries: NamedQuery[] = [
    ...begin(held_ms_max),
    asked.ids.length === 0 ? lockByNumber(asked.numbers) : lockByNumberOrId(asked.numbers, asked.ids),
    drawIds(needed),
  ];
  if (asked.traces.trace_ids.length > 0)
    queries.push(postgres_lookups.traces(asked.traces.number_indexes, asked.traces.trace_ids));
  if (asked.roots.length > 0) queries.push(authorizationsById(asked.roots));
  if (asked.clearings.length > 0) {
    queries.push(postgres_lookups.rootsByReference(asked.references), clearingsByReference(asked.clearings));
  }
  const suspects = suspectNumbers(messages);
  if (suspects.length > 0) queries.push(numbersAmong(suspects));
  if (asked.rematched.length > 0) queries.push(clearingsMatchedByHand(asked.rematched, asked.chosen));
  if (asked.seen_acts.length > 0) queries.push(lockActs(asked.seen_acts), overtakenClearings(asked.seen_acts));
  const [, , locked, ids, ...found] = await sendTogether(client, queries).catch(async (error: unknown) => {
    throw codeOf(error) === lock_not_available ? await heldFault(client, asked, error) : error;
  });
  const [, overtaken] = asked.seen_acts.length > 0 ? found.splice(-2) : [];
  const rematched = asked.rematched.length > 0 ? found.pop() : undefined;
  const known = suspects.length > 0 ? found.pop() : undefined;
  const known_numbers = (known?.rows ?? []).map(({ number_index }) => number_index as Uint8Array);
  const loaded = new Loaded(locked?.rows ?? [], known_numbers);
  const clearings = asked.clearings.length > 0 ? found.pop() : undefined;
  loaded.keepClearings([...(clearings?.rows ?? []), ...(rematched?.rows ?? [])]);
  for (const { rows } of found) loaded.keepAuthorizations(rows);
  const now_ms = clock.nowMs();
  await loaded.loadByMerchant(client, messages, now_ms);
  await loaded.loadNeighbours(client, messages, now_ms);
  await loaded.complete(client, templates, now_ms);
  const { database_ms, ...fresh } = ids?.rows[0] ?? {};
  const overtaken_clearing_ids = (overtaken?.rows ?? []).map(({ clearing_id }) => Number(clearing_id));
  return { state: { ...loaded.state(now_ms, templates, fresh), overtaken_clearing_ids }, database_ms };
}

export async function loadDue(
  { client, held_ms_max }: Reads,
  templates: TemplateRules,
  clock: Clock,
  limit: number,
): Promise<LoadedState> {
  const [, , locked] = await sendTogether(client, [...begin(held_ms_max), lockDue(clock.nowMs(), limit)]);
  const loaded = new Loaded(locked?.rows ?? []);
  const now_ms = clock.nowMs();
  await loaded.complete(client, templates, now_ms);
  const fresh = { authorization_ids: [], clearing_ids: [], event_ids: [] };
  return { state: loaded.state(now_ms, templates, fresh), database_ms: null };
}

/** The fault of a pass that has waited too long for a lock. Names the cards that are held. */
async function heldFault(
  client: PoolClient,
  { numbers, ids }: Pick<ReturnType<typeof keysOf>, 'numbers' | 'ids'>,
  error: unknown,
): Promise<Fault> {
  const answers = await sendTogether(client, [
    { text: 'rollback' },
    ...begin(1),
    cardsNamed(numbers, ids, { free: false }),
    cardsNamed(numbers, ids, { free: true }),
  ]);
  const [, , , named, free] = answers;
  const held = new Map((named?.rows ?? []).map((card: NamedCard) => [card.id, hex(card.number_index)]));
  for (const { id } of free?.rows ?? []) held.delete(id);
  if (held.size === 0) return faultOf(error) as Fault;
  const held_numbers = new Set(held.values());
  return new CardsHeld((message) => {
    if (message.number_index !== null) return held_numbers.has(hex(message.number_index));
    return held.has(message.vcn_id ?? 0);
  }, error);
}

type FreshIds = Pick<LedgerState, 'authorization_ids' | 'clearing_ids' | 'event_ids'>;

/** What a pass has read, each row once. */
class Loaded {
  #cards: readonly CardRow[];
  readonly #authorizations = new Map<number, Authorization>();
  readonly #clearings = new Map<number, Clearing>();
  readonly #cut_card_ids: number[] = [];
  readonly #known_numbers: readonly Uint8Array[];
  readonly #searched = new SearchedMerchants();
  #windows: LedgerState['windows'] = [];

  constructor(cards: readonly CardRow[], known_numbers: readonly Uint8Array[] = []) {
    this.#known_numbers = known_numbers;
    this.#cards = cards;
  }

  keepAuthorizations(rows: readonly AuthorizationRow[]): void {
    for (const row of rows) {
      if (!this.#authorizations.has(row.id)) this.#authorizations.set(row.id, authorizationOf(row));
    }
  }

  keepClearings(rows: readonly ClearingRow[]): void {
    for (const row of rows) if (!this.#clearings.has(row.id)) this.#clearings.set(row.id, clearingOf(row));
  }

  /**
   * Reads the candidates by merchant of clearings that no reference settled. Usually there are
   * none, and nothing is sent.
   */
  async loadByMerchant(client: PoolClient, messages: readonly Lookup[], now_ms: number): Promise<void> {
    const clearings = messages.filter((message) => message.kind === 'clearing');
    if (clearings.length === 0) return;
    const cardOf = this.#cardOf();
    const deciding = new Set(
      messages.flatMap((message) => (message.kind === 'authorization' ? [cardOf(message)] : [])),
    );
    const roots = Map.groupBy(this.#authorizations.values(), ({ card_id }) => card_id);
    const searches = clearings.flatMap((message): CardMerchantSearch[] => {
      const card = cardOf(message);
      if (card === undefined) return [];
      const found = { roots: roots.get(card.id) ?? [], has_authorization: deciding.has(card), now_ms };
      const search = merchantSearch(message, found);
      return search === null ? [] : [{ ...search, card_id: card.id }];
    });
    if (searches.length === 0) return;
    const queries = [postgres_lookups.rootsOfMerchants(this.#forNeighboursToo(searches, messages, cardOf))];
    const credits = searches.filter(({ is_credit }) => is_credit);
    if (credits.length > 0) queries.push(clearingsOfMerchants(searchesOfCards(credits)));
    const [found_roots, found_clearings] = await sendTogether(client, queries);
    this.keepAuthorizations(found_roots?.rows ?? []);
    this.keepClearings(found_clearings?.rows ?? []);
  }

  /**
   * The searches, joined to one for each card. Those of cards whose `NeighbourSearch` asks the same
   * again are made as it asks.
   */
  #forNeighboursToo(
    searches: readonly CardMerchantSearch[],
    messages: readonly Lookup[],
    cardOf: (message: Lookup) => CardRow | undefined,
  ): readonly CardSearch[] {
    const messages_of = Map.groupBy(messages, (message) => cardOf(message)?.id);
    const cards = new Map(this.#cards.map((card) => [card.id, card]));
    const clearings = Map.groupBy(this.#clearings.values(), ({ card_id }) => card_id);
    const by_card = Map.groupBy(searches, ({ card_id }) => card_id);
    return [...by_card].map(([card_id, its]) => {
      const joined = joinSearches(its);
      const asks_again = needsNeighbours(
        cards.get(card_id)!,
        messages_of.get(card_id) ?? [],
        clearings.get(card_id) ?? [],
      );
      const is_credit = joined.is_credit || asks_again;
      if (is_credit) this.#searched.note(card_id, its);
      return { card_id, ...joined, is_credit };
    });
  }

  /**
   * Reads what the match of other clearings depends on, of the cards for which it may change.
   * Usually there are none, and nothing is sent.
   */
  async loadNeighbours(client: PoolClient, messages: readonly Lookup[], now_ms: number): Promise<void> {
    if (this.#cards.length === 0) return;
    const cardOf = this.#cardOf();
    const by_card = Map.groupBy(messages, cardOf);
    let searches: NeighbourSearch[] = [];
    for (const [card, concerned] of by_card) {
      if (card !== undefined && needsNeighbours(card, concerned, this.#clearings.values())) {
        searches.push(new NeighbourSearch(card, concerned, now_ms));
      }
    }
    while (searches.length > 0) {
      const known = {
        roots: Map.groupBy(this.#authorizations.values(), ({ card_id }) => card_id),
        clearings: Map.groupBy(this.#clearings.values(), ({ card_id }) => card_id),
      };
      const asked: NeighbourQuestions[] = [];
      searches = searches.filter((search) => {
        const { card_id } = search;
        search.keep({ roots: known.roots.get(card_id) ?? [], clearings: known.clearings.get(card_id) ?? [] });
        const questions = search.next();
        if (questions !== null) asked.push(questions);
        if (search.is_cut) this.#cut_card_ids.push(card_id);
        return questions !== null;
      });
      if (asked.length === 0) return;
      const queries: NamedQuery[] = [neighbourClearings(asked, this.#clearings.keys())];
      const keys = asked.map(({ card_id, root_keys }) => ({ number_index: null, vcn_id: card_id, keys: root_keys }));
      if (keys.some((one) => one.keys.length > 0)) queries.push(postgres_lookups.rootsByReference(keys));
      const ids = asked.flatMap(({ root_ids }) => root_ids).filter((id) => !this.#authorizations.has(id));
      if (ids.length > 0) queries.push(authorizationsById(ids));
      const merchants = asked.flatMap(({ card_id, roots_of_merchant }) =>
        this.#searched.unmade(card_id, roots_of_merchant).map((search) => ({ ...search, card_id })),
      );
      if (merchants.length > 0) queries.push(postgres_lookups.rootsOfMerchants(searchesOfCards(merchants)));
      const [clearings, ...roots] = await sendTogether(client, queries);
      this.keepClearings(clearings?.rows ?? []);
      for (const { rows } of roots) this.keepAuthorizations(rows);
    }
  }

  #cardOf(): (message: Lookup) => CardRow | undefined {
    const by_number = new Map(this.#cards.map((card) => [hex(card.number_index), card]));
    const by_id = new Map(this.#cards.map((card) => [card.id, card]));
    return (message) => {
      if (message.number_index !== null) return by_number.get(hex(message.number_index));
      return by_id.get(message.vcn_id ?? 0);
    };
  }

  /**
   * Reads rows that the first answers refer to, and then the windows in which the loaded rows
   * count. Usually there are none, and nothing is sent.
   */
  async complete(client: PoolClient, templates: TemplateRules, now_ms: number): Promise<void> {
    await this.#loadReferred(client, templates, now_ms);
    const present = new Map(this.#cards.map((card) => [card.id, card]));
    const keys = pastWindowsOf(this.#authorizations.values(), this.#clearings.values(), (id) => present.get(id));
    if (keys.length === 0) return;
    const [windows] = await sendTogether(client, [postgres_lookups.windows(keys)]);
    this.#windows = windows?.rows ?? [];
  }

  async #loadReferred(client: PoolClient, templates: TemplateRules, now_ms: number): Promise<void> {
    const due = this.#cards.filter(({ next_hold_end_ms: end }) => end !== null && end <= now_ms).map(({ id }) => id);
    const unknown = new Set(this.#cards.map((card) => card.template_id).filter((id) => !templates.get(id)));
    const roots = this.#missingRoots();
    const queries: NamedQuery[] = [];
    if (roots.length > 0) queries.push(authorizationsById(roots));
    if (due.length > 0) queries.push(postgres_lookups.holdsDueAndNext(due, now_ms));
    if (unknown.size > 0) queries.push(templatesById([...unknown]));
    if (queries.length === 0) return;
    const found = await sendTogether(client, queries);
    if (unknown.size > 0) for (const row of found.pop()?.rows ?? []) templates.keep(row.id, row);
    for (const { rows } of found) this.keepAuthorizations(rows);
  }

  state(now_ms: number, templates: TemplateRules, fresh: FreshIds): LedgerState {
    return {
      now_ms,
      cards: this.#cards.map((row) => cardOf(row, templateOf(templates, row.template_id))),
      authorizations: [...this.#authorizations.values()],
      clearings: [...this.#clearings.values()],
      cut_card_ids: this.#cut_card_ids,
      windows: this.#windows,
      known_numbers: this.#known_numbers,
      authorization_ids: fresh.authorization_ids,
      clearing_ids: fresh.clearing_ids,
      event_ids: fresh.event_ids,
    };
  }

  /** Roots that loaded rows refer to and that are not loaded. */
  #missingRoots(): number[] {
    const missing = new Set<number>();
    const ask = (id: number | null) => {
      if (id !== null && !this.#authorizations.has(id)) missing.add(id);
    };
    for (const { root_id } of this.#authorizations.values()) ask(root_id);
    for (const { authorization_id } of this.#clearings.values()) ask(authorization_id);
    return [...missing];
  }
}

interface CardMerchantSearch extends MerchantSearch {
  readonly card_id: number;
}

/** The searches, joined to one for each card. */
function searchesOfCards(searches: readonly CardMerchantSearch[]): readonly CardSearch[] {
  const by_card = Map.groupBy(searches, ({ card_id }) => card_id);
  return [...by_card].map(([card_id, its]) => ({ card_id, ...joinSearches(its) }));
}

function templateOf(templates: TemplateRules, id: number): LedgerCard['template'] {
  const template = templates.get(id);
  if (template === undefined) throw new Fault(`template ${id} of a card is not there`, { retryable: false });
  return template;
}

/** What the messages look up, each key once. */
function keysOf(messages: readonly Lookup[]) {
  const numbers: Uint8Array[] = [];
  /** The trace ids of authorization messages, by number. */
  const traces = new ByNumberIndex<string[]>();
  const ids = new Set<number>();
  const number_indexes: Uint8Array[] = [];
  const trace_ids: string[] = [];
  const clearings: ClearingKeys[] = [];
  /** Each key of a card once. */
  const references: ReferenceSearch[] = [];
  const referenced = new Set<string>();
  /** The authorizations that releases and matches by hand name. */
  const roots: number[] = [];
  /** The clearings and the authorizations that matches by hand name. */
  const rematched: number[] = [];
  const chosen: number[] = [];
  const seen_acts: SeenActsOfClearing[] = [];
  for (const message of messages) {
    const { number_index } = message;
    const known = number_index === null ? undefined : traces.get(number_index);
    if (number_index !== null && known === undefined) {
      traces.add(number_index, message.kind === 'authorization' ? [message.trace_id] : []);
      numbers.push(number_index);
    }
    if (message.kind === 'authorization') {
      if (known?.includes(message.trace_id)) continue;
      known?.push(message.trace_id);
      number_indexes.push(message.number_index);
      trace_ids.push(message.trace_id);
      continue;
    }
    const number = number_index === null ? null : hex(number_index);
    if (message.vcn_id !== null) ids.add(message.vcn_id);
    if (message.kind === 'freeze') continue;
    if (message.kind === 'release' || message.kind === 'rematch') {
      if (message.authorization_id !== null) roots.push(message.authorization_id);
      if (message.kind === 'rematch') {
        rematched.push(message.clearing_id);
        if (message.seen_acts !== undefined) {
          seen_acts.push({ ...message.seen_acts, clearing_id: message.clearing_id });
        }
        if (message.authorization_id !== null) chosen.push(message.authorization_id);
      }
      continue;
    }
    const keys = referenceKeys(message).filter((key) => {
      const asked = `${number ?? message.vcn_id} ${key}`;
      return !referenced.has(asked) && referenced.add(asked);
    });
    references.push({ number_index: number, vcn_id: message.vcn_id, keys });
    clearings.push({
      number_index: number,
      vcn_id: message.vcn_id,
      transaction_id: message.network_financial_transaction_id,
      referring: readsReferring(message),
      ...Object.fromEntries(
        referenceKeys(message)
          .map(partsOfKey)
          .map(({ kind, value }) => [kind, value]),
      ),
    });
  }
  return {
    numbers,
    ids: [...ids],
    traces: { number_indexes, trace_ids },
    clearings,
    references,
    roots,
    rematched,
    chosen,
    seen_acts,
  };
}
