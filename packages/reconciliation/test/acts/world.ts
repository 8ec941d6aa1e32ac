import assert from 'node:assert/strict';
import {
  type AuthorizationMessage,
  type ClearingMessage,
  createNetwork,
  type Network,
  type VirtualCard,
} from '@tallystick/cards';
import {
  anotherOf,
  authorizationMessage,
  clearingMessage,
  makeCard,
  makeOwner,
  newAccount,
  newLine,
  newStatement,
  type StorageUnderTest,
  sealedNumber,
} from '@tallystick/harness';
import { type Call, fixedClock, money } from '@tallystick/kernel';
import {
  type Act,
  type ActKind,
  type ActPorts,
  type Approval,
  actOnItem,
  catchUp,
  type Item,
  isApproval,
  itemIdOf,
  type RecordKey,
  readItem,
  rebuild,
  type TableRow,
  type TableSource,
} from '../../src/index.ts';

/** What was done, where nothing needs a second person. */
export async function done<Result extends object>(work: Promise<Result | Approval>): Promise<Result> {
  const result = await work;
  assert.ok(!isApproval(result), 'it needs no second person');
  return result;
}

const day_ms = 24 * 60 * 60 * 1_000;

/** The days from the time of the ledger to that of the acts: what was awaited is overdue by then. */
const days_until_acts = 60;

let messages_made = 0;

/** A purchase as the network names it, of 1,000 unless stated otherwise. */
export type PurchaseFields = Partial<AuthorizationMessage> & { readonly amount?: number };

/** A line of a statement, of purchases unless it has another code. */
interface StatedLine {
  readonly amount: number;
  readonly bank_reference: string;
  readonly code?: string;
  readonly reference?: string | null;
}

/** What acts and their undoing leave as it was. */
export interface WorldState {
  /** As JSON. */
  readonly items: readonly string[];
  readonly cells: readonly string[];
  readonly counters: readonly (VirtualCard['counters'] | null)[];
}

/** Throws a `Violation` unless both are equal, and shows what only one of them has. */
export function assertSameState(found: WorldState, expected: WorldState, what: string): void {
  for (const part of ['items', 'cells'] as const) {
    const only = (one: WorldState, other: WorldState) => one[part].filter((text) => !other[part].includes(text));
    assert.deepEqual(only(found, expected), only(expected, found), `${what}: ${part}`);
  }
  assert.deepEqual(found.counters, expected.counters, `${what}: the counters of the cards`);
}

/** A company with a card, an account and a network, for rules about acts of people. */
export class ActWorld {
  readonly storage: StorageUnderTest;
  readonly company_id: number;
  readonly card_id: number;
  readonly network: Network;
  readonly #number_index: Uint8Array;
  readonly #account_ids: readonly number[];
  /** The cards whose counters acts and their undoing must leave as they were. */
  readonly #card_ids: number[];

  private constructor(
    storage: StorageUnderTest,
    company_id: number,
    card: { readonly id: number; readonly number_index: Uint8Array },
    account_ids: readonly number[],
    network: Network,
  ) {
    this.storage = storage;
    this.company_id = company_id;
    this.card_id = card.id;
    this.#number_index = card.number_index;
    this.#account_ids = account_ids;
    this.#card_ids = [card.id];
    this.network = network;
  }

  /** Makes the company. Statements of its two accounts cover everything. */
  static async on(storage: StorageUnderTest): Promise<ActWorld> {
    const number = sealedNumber();
    const made = await storage.unitOfWork.run(async (tx) => {
      const owner = await makeOwner(tx);
      const million = money(1_000_000);
      const limits = { per_transaction_max: million, total_card_amount: million, transactions_max: null };
      const { id } = await makeCard(tx, owner, limits, number);
      const account_ids = [];
      for (let accounts = 0; accounts < 2; accounts += 1) {
        const account = await tx.accounts.insert(newAccount(owner.company_id));
        const end = { as_of: '2026-01-01', balance: money(0) };
        await tx.accounts.updateEnds({ id: account.id, first_statement: end, last_statement: end });
        account_ids.push(account.id);
      }
      return { company_id: owner.company_id, id, account_ids };
    });
    const card = { id: made.id, number_index: number.number_index };
    return new ActWorld(storage, made.company_id, card, made.account_ids, networkOf(storage));
  }

  /** Makes another card of the company. Returns the field that names it in messages. */
  async addCard(): Promise<{ readonly number_index: Uint8Array }> {
    const number = sealedNumber();
    const { id } = await this.storage.unitOfWork.run(async (tx) => {
      const card = await tx.cards.find(this.company_id, this.card_id);
      assert(card !== null, 'the first card of the company is there');
      const million = money(1_000_000);
      const limits = { per_transaction_max: million, total_card_amount: million, transactions_max: null };
      return await makeCard(tx, card, limits, number);
    });
    this.#card_ids.push(id);
    return { number_index: number.number_index };
  }

  /** The account that has its statements. */
  get account_id(): number {
    return this.#account_ids[0]!;
  }

  /** The same world as another process sees it. */
  async another(): Promise<ActWorld> {
    const storage = await anotherOf(this.storage);
    const card = { id: this.card_id, number_index: this.#number_index };
    return new ActWorld(storage, this.company_id, card, this.#account_ids, networkOf(storage));
  }

  /** The same world, in which what a read found is used only once `afterRead` has ended. */
  pausing(afterRead: () => Promise<void>): ActWorld {
    const { unitOfWork } = this.storage;
    const pausing: StorageUnderTest['unitOfWork'] = {
      ...unitOfWork,
      async read(work) {
        const found = await unitOfWork.read(work);
        await afterRead();
        return found;
      },
    };
    return this.#on({ ...this.storage, unitOfWork: pausing }, this.network);
  }

  /** The same world, in which each transaction of this package begins once `before` has ended. */
  interrupted(before: () => Promise<void>): ActWorld {
    const { unitOfWork } = this.storage;
    const after =
      <Parameters extends readonly unknown[], Result>(begin: (...of: Parameters) => Promise<Result>) =>
      async (...of: Parameters): Promise<Result> => {
        await before();
        return await begin(...of);
      };
    const run: typeof unitOfWork.run = (work) => after(() => unitOfWork.run(work))();
    const read: typeof unitOfWork.read = (work) => after(() => unitOfWork.read(work))();
    const network = { ...this.network, rematch: after(this.network.rematch) };
    return this.#on({ ...this.storage, unitOfWork: { ...unitOfWork, run, read } }, network);
  }

  /** The same world, in which `onLock` has the ids of the cards that acts lock. */
  watchingLocks(onLock: (ids: readonly number[]) => void): ActWorld {
    const { unitOfWork } = this.storage;
    const run: typeof unitOfWork.run = (work) =>
      unitOfWork.run((tx) => {
        const lock: typeof tx.cards.lock = (company_id, ids) => {
          onLock(ids);
          return tx.cards.lock(company_id, ids);
        };
        return work({ ...tx, cards: { ...tx.cards, lock } });
      });
    return this.#on({ ...this.storage, unitOfWork: { ...unitOfWork, run } }, this.network);
  }

  #on(storage: StorageUnderTest, network: Network): ActWorld {
    const card = { id: this.card_id, number_index: this.#number_index };
    return new ActWorld(storage, this.company_id, card, this.#account_ids, network);
  }

  /** A call of a person of the company. */
  call(actor = 'key:1'): Call {
    const now_ms = this.storage.now_ms + days_until_acts * day_ms;
    return { company_id: this.company_id, actor, request_id: null, now_ms };
  }

  ports(): ActPorts {
    const clock = fixedClock(this.call().now_ms);
    return { unitOfWork: this.storage.unitOfWork, clock, network: this.network };
  }

  /** A purchase is authorized. Returns the id of the authorization. */
  async authorize({ amount = 1_000, ...fields }: PurchaseFields = {}): Promise<number> {
    messages_made += 1;
    const answer = await this.network.authorize(
      authorizationMessage(this.#number_index, {
        message_type: '0120',
        trace_id: `T${messages_made}`,
        approval_code: codeOf(messages_made),
        billing_amount: money(amount),
        merchant_amount: money(amount),
        net_reference_number: null,
        merchant_id: `M${messages_made}`,
        details: { merchant_name: 'Paper and Ink' },
        ...fields,
      }),
    );
    assert(answer.kind === 'answered' && answer.item.id !== null, 'the purchase was not recorded');
    return answer.item.id;
  }

  /** A clearing that belongs to no purchase unless its fields say so. Returns its id. */
  async clear({
    amount = 1_000,
    ...fields
  }: Partial<ClearingMessage> & { readonly amount?: number } = {}): Promise<number> {
    messages_made += 1;
    const answer = await this.network.clear(
      clearingMessage(this.#number_index, {
        network_financial_transaction_id: `F${messages_made}`,
        acquirer_reference_data: null,
        approval_code: null,
        net_reference_number: null,
        billing_amount: money(amount),
        merchant_amount: money(amount),
        merchant_id: `N${messages_made}`,
        details: { merchant_name: 'Paper and Ink' },
        ...fields,
      }),
    );
    assert(answer.kind === 'answered', 'the clearing was not recorded');
    return answer.item.id;
  }

  /** A card line of 1,000 that names no clearing. Returns its id. */
  async line({
    amount = 1_000,
    reference = null,
    code = '821',
    date = '2026-05-20',
    account = 0,
    text = 'CARD SALE',
    bank_reference = `B${messages_made + 1}`,
    recorded_at_ms,
  }: {
    readonly amount?: number;
    readonly reference?: string | null;
    readonly code?: string;
    readonly date?: string;
    readonly account?: 0 | 1;
    readonly text?: string;
    readonly bank_reference?: string;
    /** Before the time of the acts by default. */
    readonly recorded_at_ms?: number;
  } = {}): Promise<number> {
    messages_made += 1;
    const account_id = this.#account_ids[account]!;
    return await this.storage.unitOfWork.run(async ({ accounts }) => {
      const owner = { id: account_id, company_id: this.company_id };
      const recorded = recorded_at_ms === undefined ? {} : { recorded_at_ms };
      const booked = { amount: money(-amount), bai_code: code, booking_date: date, value_date: date, ...recorded };
      await accounts.recordLines([newLine(owner, { ...booked, text, bank_reference, acquirer_reference: reference })]);
      const [line] = await accounts.linesByReference([{ account_id, bank_reference }]);
      assert(line !== undefined, 'the line was not recorded');
      return line.id;
    });
  }

  /**
   * A statement of one day with these lines, or a further page of it. Lines of the day that no
   * statement has differ from it. Returns the ids of its lines.
   */
  async statement(date: string, lines: readonly StatedLine[] = []): Promise<readonly number[]> {
    const account_id = this.#account_ids[0]!;
    const owner = { id: account_id, company_id: this.company_id };
    return await this.storage.unitOfWork.run(async ({ accounts }) => {
      const position = (await accounts.statementsOf(account_id, date)).length;
      const covers_from = position === 0 ? date : null;
      const [statement] = await accounts.insertStatements([
        newStatement(owner, { as_of: date, position, covers_from }),
      ]);
      const booked = lines.map(({ amount, bank_reference, code = '821', reference = null }, at) => ({
        ...newLine(owner, { amount: money(-amount), bai_code: code, booking_date: date, value_date: date }),
        ...{ statement_id: statement!.id, place: at + 1, bank_reference, acquirer_reference: reference },
      }));
      await accounts.recordLines(booked);
      await accounts.compareReported({ account_id, from: date, to: date }, null, 1_000);
      const { items } = await accounts.listLines(account_id, { from: date, to: date }, { limit: 1_000 });
      return booked.map(
        ({ place }) => items.find((one) => one.statement_id === statement!.id && one.place === place)!.id,
      );
    });
  }

  /** Acts on the item that has the record. */
  async act(record: RecordKey, action: ActKind, request: object = {}, actor?: string): Promise<Item> {
    const { item } = await this.read(record);
    return await this.actOn(item.id, action, request, actor);
  }

  /** Acts on an item by its id. */
  actOn(item_id: number, action: ActKind, request: object = {}, actor?: string): Promise<Item> {
    const asked = { note: 'the receipt says so', ...request };
    return done(actOnItem(this.ports(), this.call(actor), item_id, action, asked));
  }

  /** The item that has the record, up to date, and what people did to it. */
  async read(record: RecordKey): Promise<{ readonly item: Item; readonly history: readonly Act[] }> {
    await this.catchUp();
    return await this.storage.unitOfWork.read((tx) => readItem(tx, this.call(), itemIdOf(record)));
  }

  async catchUp(): Promise<void> {
    await catchUp(this.ports(), this.company_id);
  }

  /** All items, up to date, by id. */
  async items(): Promise<readonly Item[]> {
    await this.catchUp();
    const { unitOfWork } = this.storage;
    const items = await unitOfWork.read((tx) => tx.reconciliation.itemsAfter(this.company_id, null, 1_000));
    return items.toSorted((a, b) => a.id - b.id);
  }

  /**
   * What acts and their undoing must leave as it was: items, except their version and that acts
   * concern them, and the card.
   */
  async state(): Promise<WorldState> {
    const items = (await this.items()).map(({ version: _version, is_touched: _, ...item }) => JSON.stringify(item));
    const { company_id } = this;
    return await this.storage.unitOfWork.read(async ({ cards, reconciliation }) => {
      const cells = (await reconciliation.cells(company_id)).map((cell) => JSON.stringify(cell)).sort();
      const counters = [];
      for (const id of this.#card_ids) counters.push((await cards.find(company_id, id))?.counters ?? null);
      return { items, cells, counters };
    });
  }

  async close(): Promise<void> {
    await this.network.drain();
  }
}

/** Of up to 100 such items, the amounts of no others add up to the line of one. */
let proposals_made = 0;

/** An item that a person can confirm, with two clearings that a provisional rule matched. */
export interface TwoProposals {
  readonly clearing_ids: readonly [number, number];
  readonly line_id: number;
  /** Authorizes another purchase that the second clearing fits as well: then no rule matches it. */
  readonly makeTie: (world: ActWorld) => Promise<number>;
}

/**
 * Two purchases with a clearing each, under one line of their sum: a covering set. `other_card`
 * names the card of the second one.
 */
export async function proposeTwo(world: ActWorld, other_card: object = {}): Promise<TwoProposals> {
  proposals_made = (proposals_made % 100) + 1;
  messages_made += 1;
  const first = { merchant_id: `P${messages_made}`, amount: 400_001 + 10 * proposals_made ** 2 };
  const second = { merchant_id: `Q${messages_made}`, amount: 300_002 + 2_110 * proposals_made, ...other_card };
  for (const purchase of [first, second]) await world.authorize(purchase);
  const clearing_ids = [await world.clear(first), await world.clear(second)] as const;
  const line_id = await world.line({ amount: first.amount + second.amount });
  const { item } = await world.read(line(line_id));
  assert.deepEqual([item.status, item.clearing_ids], ['proposed', clearing_ids], 'the item with two proposals');
  return { clearing_ids, line_id, makeTie: (its) => its.authorize(second) };
}

/** Whether a person has confirmed the matches of the clearings. */
export async function areConfirmed(world: ActWorld, clearing_ids: readonly number[]): Promise<readonly boolean[]> {
  const { company_id } = world;
  const found = await world.storage.unitOfWork.read((tx) => tx.reconciliation.clearings(company_id, clearing_ids));
  return found.toSorted((a, b) => a.id - b.id).map(({ is_chosen }) => is_chosen);
}

/** Throws a `Violation` unless a rebuild would change nothing. */
export async function assertRebuilt(world: ActWorld, what: string): Promise<void> {
  await world.catchUp();
  const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
  const different = [found.items_different, found.entries_different, found.cells_different];
  assert.deepEqual(different, [0, 0, 0], `${what}: what a rebuild would change`);
}

/** The rows that a person has filled in. */
export function tableOf(rows: readonly Readonly<Record<string, string>>[], onRead?: () => Promise<void>): TableSource {
  return {
    async *rows() {
      await onRead?.();
      yield rows.map((row, at): TableRow => ({ number: at + 2, cells: new Map(Object.entries(row)) }));
    },
  };
}

export function authorization(id: number): RecordKey {
  return { kind: 'authorization', id };
}

export function clearing(id: number): RecordKey {
  return { kind: 'clearing', id };
}

export function line(id: number): RecordKey {
  return { kind: 'line', id };
}

/** A process that ended. */
export class Ended extends Error {}

/**
 * The ports of a process that ends after so many transactions and passes. Every odd one commits at
 * its end, of which the process no longer learns.
 */
export function endingAfter(steps: number, { unitOfWork, network, ...others }: ActPorts): ActPorts {
  let begun = 0;
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    begun += 1;
    if (begun > Math.floor(steps / 2) + 1) throw new Ended();
    const is_last = begun > Math.floor(steps / 2);
    if (is_last && steps % 2 === 0) throw new Ended();
    const result = await work();
    if (is_last) throw new Ended();
    return result;
  };
  return {
    ...others,
    unitOfWork: {
      run: (work) => step(() => unitOfWork.run(work)),
      read: (work) => step(() => unitOfWork.read(work)),
    },
    network: { rematch: (message) => step(() => network.rematch(message)) },
  };
}

function codeOf(number: number): string {
  return `A${String(number % 100_000).padStart(5, '0')}`;
}

function networkOf({ ledger }: StorageUnderTest): Network {
  return createNetwork({
    ledger,
    vault: { cvcMatches: () => true },
    random: { below: () => 0, bytes: (count) => new Uint8Array(count) },
    sealer: { seal: (_purpose, clear) => clear, open: (_purpose, sealed) => sealed, isCurrent: () => true },
    sha256: (bytes) => bytes.slice(0, 32),
  });
}
