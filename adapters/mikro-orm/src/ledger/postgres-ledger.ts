import {
  type Authorization,
  ByNumberIndex,
  type Clearing,
  type ClearingMessage,
  type Fold,
  type Ledger,
  type LedgerCard,
  type LedgerState,
  merchantSearch,
  type NetworkMessage,
  partsOfKey,
  pastWindowsOf,
  readsReferring,
  referenceKeys,
} from '@tallystick/cards';
import { type Clock, Fault } from '@tallystick/kernel';
import type { Pool, PoolClient, QueryResult } from 'pg';
import type { KnownBackfills } from '../backfill/backfills.ts';
import { postgres_lookups_before_keys } from '../before-keys/postgres-lookups.ts';
import type { PostgresConnection } from '../connection/connection.ts';
import { faultOf, isConflict } from '../connection/faults.ts';
import type { NamedQuery } from '../connection/named-query.ts';
import { runOutermost } from '../connection/nesting.ts';
import { authorization_keys_backfill } from '../schema/authorization-keys.ts';
import { type AuthorizationRow, authorizationOf, type ClearingRow, clearingOf } from '../schema/record-rows.ts';
import type { WindowRow } from '../schema/window-sums.ts';
import { type CardRow, cardOf, idsNeeded, TemplateRules } from './ledger-rows.ts';
import {
  authorizationsById,
  begin,
  type ClearingKeys,
  clearingsByReference,
  clearingsOfMerchant,
  drawIds,
  hex,
  keysCopied,
  lockByNumber,
  lockByNumberOrId,
  lockDue,
  templatesById,
  writes,
} from './postgres-ledger-statements.ts';
import { type CardSearch, type PostgresLookups, postgres_lookups, type ReferenceSearch } from './postgres-lookups.ts';

/** While one pass waits for the disk or the server, the others are read, decided and sent. */
const passes_at_once = 3;

/** How often a pass is attempted after conflicts before it fails. */
const attempts_max = 5;

/**
 * The ledger on Postgres: a pass is two round trips. The first locks the cards in id order and
 * reads. Its reads follow the locks on the same connection, so each statement sees all earlier
 * commits. The second writes and commits. The clients of the pool send each statement without
 * waiting for the previous answer.
 */
export function postgresLedger(
  { pool }: Pick<PostgresConnection, 'pool'>,
  clock: Clock,
  backfills: KnownBackfills,
): Ledger {
  const templates = new TemplateRules();
  let is_begun = false;

  async function run<Result>(load: (reads: Reads) => Promise<LedgerState>, fold: Fold<Result>): Promise<Result> {
    if (!is_begun) await backfills.refresh();
    is_begun = true;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOutermost(() => transaction(pool, backfills, load, fold));
      } catch (error) {
        if (!(error instanceof Fault && mayBeginAgain(error.cause)) || attempt === attempts_max) throw error;
      }
    }
  }

  return {
    passes_at_once,
    pass: (messages, fold) => run((reads) => loadState(reads, templates, clock, messages), fold),
    passDue: (limit, fold) => run((reads) => loadDue(reads, templates, clock, limit), fold),
  };
}

/** How a pass reads. */
interface Reads {
  readonly client: PoolClient;
  readonly lookups: PostgresLookups;
}

async function transaction<Result>(
  pool: Pool,
  backfills: KnownBackfills,
  load: (reads: Reads) => Promise<LedgerState>,
  fold: Fold<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw faultOf(error);
  });
  let folding = false;
  let broken = false;
  try {
    const is_keyed = backfills.isCopied(authorization_keys_backfill);
    const state = await load({ client, lookups: is_keyed ? postgres_lookups : postgres_lookups_before_keys });
    folding = true;
    const { changes, result } = fold(state);
    folding = false;
    // Everything is encoded before anything is sent. A failed statement turns the commit after it
    // into a rollback.
    const layout = is_keyed ? [] : [keysCopied()];
    const answers = await send(client, [...layout, ...writes(state, changes), { text: 'commit' }]);
    if (answers.at(-1)?.command !== 'COMMIT') throw new Fault('the transaction was rolled back', { retryable: true });
    if (!is_keyed && answers[0]?.rows.length !== 0) backfills.noteCopied(authorization_keys_backfill);
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw folding ? error : faultOf(error);
  } finally {
    client.release(broken);
  }
}

/** Sends the statements together and waits for all answers. Rejects with the first error. */
async function send(client: PoolClient, queries: readonly NamedQuery[]): Promise<QueryResult[]> {
  return await Promise.all(queries.map((query) => client.query(query)));
}

/**
 * A unique row that another process inserted first also restarts a pass, which then sees what the
 * other recorded.
 */
function mayBeginAgain(error: unknown): boolean {
  return isConflict(error) || (error instanceof Error && 'code' in error && error.code === '23505');
}

async function loadState(
  { client, lookups }: Reads,
  templates: TemplateRules,
  clock: Clock,
  messages: readonly NetworkMessage[],
): Promise<LedgerState> {
  const needed = idsNeeded(messages);
  const asked = keysOf(messages);
  const queries: NamedQuery[] = [
    begin,
    asked.ids.length === 0 ? lockByNumber(asked.numbers) : lockByNumberOrId(asked.numbers, asked.ids),
    drawIds(needed),
  ];
  if (asked.traces.trace_ids.length > 0)
    queries.push(lookups.traces(asked.traces.number_indexes, asked.traces.trace_ids));
  if (asked.released.length > 0) queries.push(authorizationsById(asked.released));
  if (asked.clearings.length > 0) {
    queries.push(lookups.rootsByReference(asked.references), clearingsByReference(asked.clearings));
  }
  const [, locked, ids, ...found] = await send(client, queries);
  const loaded = new Loaded(locked?.rows ?? [], lookups);
  const clearings = asked.clearings.length > 0 ? found.pop() : undefined;
  loaded.keepClearings(clearings?.rows ?? []);
  for (const { rows } of found) loaded.keepAuthorizations(rows);
  const now_ms = clock.now().epochMilliseconds;
  await loaded.loadByMerchant(client, messages, now_ms);
  await loaded.complete(client, templates, now_ms);
  return loaded.state(now_ms, templates, ids?.rows[0]);
}

async function loadDue(
  { client, lookups }: Reads,
  templates: TemplateRules,
  clock: Clock,
  limit: number,
): Promise<LedgerState> {
  const [, locked] = await send(client, [begin, lockDue(clock.now().epochMilliseconds, limit)]);
  const loaded = new Loaded(locked?.rows ?? [], lookups);
  const now_ms = clock.now().epochMilliseconds;
  await loaded.complete(client, templates, now_ms);
  return loaded.state(now_ms, templates, { authorization_ids: [], clearing_ids: [], event_ids: [] });
}

type FreshIds = Pick<LedgerState, 'authorization_ids' | 'clearing_ids' | 'event_ids'>;

/** What a pass has read, each row once. */
class Loaded {
  readonly #cards: readonly CardRow[];
  readonly #lookups: PostgresLookups;
  readonly #authorizations = new Map<number, Authorization>();
  readonly #clearings = new Map<number, Clearing>();
  #windows: readonly WindowRow[] = [];

  constructor(cards: readonly CardRow[], lookups: PostgresLookups) {
    this.#cards = cards;
    this.#lookups = lookups;
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
  async loadByMerchant(client: PoolClient, messages: readonly NetworkMessage[], now_ms: number): Promise<void> {
    const clearings = messages.filter((message) => message.kind === 'clearing');
    if (clearings.length === 0) return;
    const by_number = new Map(this.#cards.map((card) => [hex(card.number_index), card]));
    const by_id = new Map(this.#cards.map((card) => [card.id, card]));
    const cardOf = ({ number_index, vcn_id }: Pick<ClearingMessage, 'number_index' | 'vcn_id'>) =>
      number_index === null ? by_id.get(vcn_id ?? 0) : by_number.get(hex(number_index));
    const deciding = new Set(
      messages.flatMap((message) =>
        message.kind === 'authorization' ? [by_number.get(hex(message.number_index))] : [],
      ),
    );
    const roots = Map.groupBy(this.#authorizations.values(), ({ card_id }) => card_id);
    const searches = clearings.flatMap((message): CardSearch[] => {
      const card = cardOf(message);
      if (card === undefined) return [];
      const found = { roots: roots.get(card.id) ?? [], has_authorization: deciding.has(card), now_ms };
      const search = merchantSearch(message, found);
      return search === null ? [] : [{ ...search, card_id: card.id }];
    });
    if (searches.length === 0) return;
    const queries = [this.#lookups.rootsOfMerchant(searches)];
    if (searches.some(({ is_credit }) => is_credit)) queries.push(clearingsOfMerchant(searches));
    const [found_roots, found_clearings] = await send(client, queries);
    this.keepAuthorizations(found_roots?.rows ?? []);
    this.keepClearings(found_clearings?.rows ?? []);
  }

  /**
   * Reads rows that the first answers refer to, and then the windows in which the loaded rows
   * count. Usually there are none, and nothing is sent.
   */
  async complete(client: PoolClient, templates: TemplateRules, now_ms: number): Promise<void> {
    await this.#loadReferred(client, templates, now_ms);
    const present = new Map(this.#cards.map(({ id, window_start_ms }) => [id, window_start_ms]));
    const keys = pastWindowsOf(this.#authorizations.values(), this.#clearings.values(), (id) => present.get(id));
    if (keys.length === 0) return;
    const [windows] = await send(client, [this.#lookups.windows(keys)]);
    this.#windows = windows?.rows ?? [];
  }

  async #loadReferred(client: PoolClient, templates: TemplateRules, now_ms: number): Promise<void> {
    const due = this.#cards.filter(({ next_hold_end_ms: end }) => end !== null && end <= now_ms).map(({ id }) => id);
    const unknown = new Set(this.#cards.map((card) => card.template_id).filter((id) => !templates.get(id)));
    const roots = this.#missingRoots();
    const queries: NamedQuery[] = [];
    if (roots.length > 0) queries.push(authorizationsById(roots));
    if (due.length > 0) queries.push(this.#lookups.holdsDueAndNext(due, now_ms));
    if (unknown.size > 0) queries.push(templatesById([...unknown]));
    if (queries.length === 0) return;
    const found = await send(client, queries);
    if (unknown.size > 0) for (const row of found.pop()?.rows ?? []) templates.keep(row.id, row);
    for (const { rows } of found) this.keepAuthorizations(rows);
  }

  state(now_ms: number, templates: TemplateRules, fresh: FreshIds): LedgerState {
    return {
      now_ms,
      cards: this.#cards.map((row) => cardOf(row, templateOf(templates, row.template_id))),
      authorizations: [...this.#authorizations.values()],
      clearings: [...this.#clearings.values()],
      windows: this.#windows,
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

function templateOf(templates: TemplateRules, id: number): LedgerCard['template'] {
  const template = templates.get(id);
  if (template === undefined) throw new Fault(`template ${id} of a card is not there`, { retryable: false });
  return template;
}

/** What the messages look up, each key once. */
function keysOf(messages: readonly NetworkMessage[]) {
  const numbers: Uint8Array[] = [];
  /** The trace ids of authorization messages, by number. */
  const traces = new ByNumberIndex<string[]>();
  const ids = new Set<number>();
  const number_indexes: Uint8Array[] = [];
  const trace_ids: string[] = [];
  const clearings: ClearingKeys[] = [];
  const references: ReferenceSearch[] = [];
  const released: number[] = [];
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
    if (message.kind === 'release') {
      released.push(message.authorization_id);
      continue;
    }
    references.push({ number_index: number, vcn_id: message.vcn_id, referenced: message });
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
    released,
  };
}
