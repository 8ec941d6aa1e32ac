import { type Account, card_line_codes, type StatementLine } from '@tallystick/accounts';
import {
  type Authorization,
  type AuthorizationStatus,
  type Clearing,
  type ClearingChange,
  type ClearingClass,
  type ClearingCycle,
  clearingChangeOf,
  newAuthorization,
  no_changes,
  unmatchedClearing,
} from '@tallystick/cards';
import { assert, type Clock, money } from '@tallystick/kernel';
import {
  catchUp,
  daysAfter,
  type Item,
  type ItemContent,
  type KeepUpOptions,
  recordOfItemId,
  startOf,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import { newAccount, newLine } from '../bank/account-store.ts';
import { authorizationMessage, clearingMessage } from '../ledger/network-messages.ts';
import { makeCard, makeCompany, newRealCard, type StorageTx, type StorageUnderTest } from '../storage/storage.ts';

/** The day on which the purchases of a world begin. */
export const first_day = '2026-03-02';

/** More leftovers than a world has: a step looks at all of them. */
export const leftovers_max = 400;

interface ClearingPlan {
  readonly amount: number;
  readonly days: number;
  /** 0: without an acquirer reference. Others are shared, so that keys collide. */
  readonly reference: number;
  readonly cycle: ClearingCycle;
  readonly is_credit: boolean;
  readonly class: ClearingClass;
  readonly match_rule: number;
  readonly review: boolean;
  /** Whether it refers to the first clearing of its purchase in place of the authorization. */
  readonly refers: boolean;
}

interface LinePlan {
  readonly amount: number;
  readonly days: number;
  readonly reference: number;
  readonly code: number;
}

interface PurchasePlan {
  readonly amount: number;
  /** Null: without an authorization. */
  readonly status: AuthorizationStatus | null;
  readonly currency: 'USD' | 'EUR';
  readonly clearings: readonly ClearingPlan[];
  readonly lines: readonly LinePlan[];
}

/** Records of a company with references that collide, and the order in which they arrive. */
export interface WorldPlan {
  readonly purchases: readonly PurchasePlan[];
  /** Clearings that are matched again to another purchase, by their places. */
  readonly moves: readonly { readonly clearing: number; readonly purchase: number }[];
  /** The days from the first one to that of the first statement; null without a statement. */
  readonly covered_from: { readonly USD: number | null; readonly EUR: number | null };
}

const amount = fc.integer({ min: 1, max: 3 });
const days = fc.integer({ min: 0, max: 6 });
const reference = fc.integer({ min: 0, max: 4 });

const clearing_plan: fc.Arbitrary<ClearingPlan> = fc.record({
  amount,
  days,
  reference,
  cycle: fc.constantFrom('first_presentment', 'first_presentment', 'reversal', 'chargeback'),
  is_credit: fc.integer({ min: 0, max: 4 }).map((draw) => draw === 4),
  class: fc.constantFrom('exact', 'exact', 'partial', 'over', 'suspected_duplicate', 'force_post', 'late'),
  match_rule: fc.constantFrom(3, 3, 5, 8),
  review: fc.integer({ min: 0, max: 4 }).map((draw) => draw === 4),
  refers: fc.boolean(),
});

const line_plan: fc.Arbitrary<LinePlan> = fc.record({
  amount,
  days,
  reference,
  code: fc.integer({ min: 0, max: card_line_codes.length - 1 }),
});

const purchase_plan: fc.Arbitrary<PurchasePlan> = fc.record({
  amount,
  status: fc.constantFrom('open', 'open', 'cleared', 'expired', 'reversed', 'released', null),
  currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR'),
  clearings: fc.array(clearing_plan, { maxLength: 3 }),
  lines: fc.array(line_plan, { maxLength: 3 }),
});

/** Worlds of a few purchases, so that their references and dates often collide. */
export const world_plans: fc.Arbitrary<WorldPlan> = fc.record({
  purchases: fc.array(purchase_plan, { minLength: 1, maxLength: 6 }),
  moves: fc.array(fc.record({ clearing: fc.nat(20), purchase: fc.nat(6) }), { maxLength: 3 }),
  covered_from: fc.record({
    USD: fc.option(fc.integer({ min: 0, max: 6 }), { freq: 4 }),
    EUR: fc.option(fc.integer({ min: 0, max: 6 }), { freq: 1 }),
  }),
});

/** Something that arrives at the storage of a company. */
type Arrival =
  | { readonly kind: 'authorization'; readonly row: Authorization }
  | { readonly kind: 'clearing'; readonly row: Clearing }
  | { readonly kind: 'move'; readonly of: number; readonly to: number }
  | { readonly kind: 'line'; readonly line: Omit<StatementLine, 'id' | 'account_id' | 'company_id'> }
  | { readonly kind: 'statement'; readonly currency: string; readonly as_of: string };

/** How a world arrives: its arrivals in this order, and items kept up to date in between. */
export interface ArrivalPlan {
  /** One number for each arrival: they come in the order of these. Missing numbers count as 0. */
  readonly order: readonly number[];
  /** After which arrivals items are brought up to date; by place. */
  readonly stops: readonly number[];
  readonly batch_max: number;
  readonly leftovers_max: number;
}

export const arrival_plans: fc.Arbitrary<ArrivalPlan> = fc.record({
  order: fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
  stops: fc.array(fc.nat(40), { maxLength: 6 }),
  batch_max: fc.constantFrom(1, 2, 3, 7, 500),
  leftovers_max: fc.constantFrom(0, 0, 2, leftovers_max),
});

const at_once: ArrivalPlan = { order: [], stops: [], batch_max: 500, leftovers_max };

/** Far from amounts, so that an id is known by its range. */
let ids_drawn = 10_000_000;

const ids_of_world = 1_000;

const no_number = new Uint8Array();

/** A company on some storage, whose records arrive as planned. */
export class StoredWorld {
  readonly storage: StorageUnderTest;
  readonly company_id: number;
  /** Moves between steps: items change by the clock. */
  now_ms = startOf(daysAfter(first_day, 1));
  readonly #cards: Readonly<Record<string, number>>;
  readonly #accounts: Readonly<Record<string, Account>>;
  /** The ids of records are above it. */
  readonly #base: number;
  readonly #roots = new Set<number>();
  readonly #clearings = new Map<number, { readonly planned: Clearing; readonly row: Clearing }>();
  readonly #moved = new Map<number, number>();

  private constructor(
    storage: StorageUnderTest,
    company_id: number,
    cards: Readonly<Record<string, number>>,
    accounts: Readonly<Record<string, Account>>,
  ) {
    this.storage = storage;
    this.company_id = company_id;
    ids_drawn += ids_of_world;
    this.#base = ids_drawn;
    this.#cards = cards;
    this.#accounts = accounts;
  }

  /** Makes a company with a card and an account of each currency. */
  static async on(storage: StorageUnderTest): Promise<StoredWorld> {
    return await storage.unitOfWork.run(async (tx) => {
      const { id: company_id } = await makeCompany(tx);
      const cards: Record<string, number> = {};
      const accounts: Record<string, Account> = {};
      for (const currency of ['USD', 'EUR']) {
        cards[currency] = await cardOf(tx, company_id, currency);
        accounts[currency] = await tx.accounts.insert(newAccount(company_id, { currency }));
      }
      return new StoredWorld(storage, company_id, cards, accounts);
    });
  }

  /** Such a company whose records have arrived as planned. */
  static async arrived(
    storage: StorageUnderTest,
    plan: WorldPlan,
    arrival: ArrivalPlan = at_once,
  ): Promise<StoredWorld> {
    const world = await StoredWorld.on(storage);
    await world.arrive(plan, arrival);
    return world;
  }

  /** Lets everything arrive as planned, and brings the items up to date at the end. */
  async arrive(plan: WorldPlan, { order, stops, ...bounds }: ArrivalPlan): Promise<void> {
    const arrivals = this.arrivalsOf(plan)
      .map((arrival, at) => ({ arrival, place: order[at] ?? 0, at }))
      .sort((a, b) => a.place - b.place || a.at - b.at);
    for (const [at, { arrival }] of arrivals.entries()) {
      await this.write(arrival);
      if (!stops.includes(at)) continue;
      this.now_ms += 12 * 60 * 60 * 1_000;
      await this.catchUp(bounds);
    }
    this.now_ms = startOf(daysAfter(first_day, 12));
    await this.catchUp(bounds);
  }

  async catchUp(bounds: Pick<KeepUpOptions, 'batch_max' | 'leftovers_max'>): Promise<void> {
    const { unitOfWork } = this.storage;
    const result = await catchUp({ unitOfWork, clock: this.clock() }, this.company_id, bounds);
    assert(!result.is_pending, 'something is left to recompute');
  }

  clock(): Clock {
    return { nowMs: () => this.now_ms };
  }

  /** The records of a plan. Their ids and times depend on their places in the plan only. */
  arrivalsOf({ purchases, moves, covered_from }: WorldPlan): readonly Arrival[] {
    const base = this.#base;
    const arrivals: Arrival[] = [];
    const roots: number[] = [];
    const clearing_ids: number[] = [];
    let place = 0;
    const nextPlace = () => {
      place += 1;
      return place;
    };
    for (const [number, purchase] of purchases.entries()) {
      const root_id = base + nextPlace();
      if (purchase.status !== null) {
        roots.push(root_id);
        const row = this.#authorization(root_id, purchase, startOf(first_day) + place);
        arrivals.push({ kind: 'authorization', row });
      }
      const own: number[] = [];
      for (const plan of purchase.clearings) {
        const id = base + nextPlace();
        const refers_to = plan.refers ? (own[0] ?? null) : null;
        const authorization_id = purchase.status === null || refers_to !== null ? null : root_id;
        const row = this.#clearing(id, purchase, plan, {
          authorization_id,
          refers_to,
          at_ms: startOf(first_day) + place,
        });
        own.push(id);
        clearing_ids.push(id);
        arrivals.push({ kind: 'clearing', row });
      }
      for (const plan of purchase.lines) {
        const at_ms = startOf(first_day) + nextPlace();
        arrivals.push({ kind: 'line', line: lineOf(plan, purchase.currency, `B${number}-${place}`, at_ms) });
      }
    }
    for (const { clearing, purchase } of moves) {
      const of = clearing_ids[clearing % clearing_ids.length];
      const to = roots[purchase % roots.length];
      if (of !== undefined && to !== undefined) arrivals.push({ kind: 'move', of, to });
    }
    for (const [currency, from] of Object.entries(covered_from)) {
      if (from !== null) arrivals.push({ kind: 'statement', currency, as_of: daysAfter(first_day, from) });
    }
    return arrivals;
  }

  async write(arrival: Arrival): Promise<void> {
    const { ledger, unitOfWork } = this.storage;
    if (arrival.kind === 'authorization') {
      this.#roots.add(arrival.row.id);
      // As in a pass: clearings that waited for the authorization are matched with it.
      const clearings_changed = this.#matchAgain();
      const changes = { ...no_changes, authorizations_inserted: [arrival.row], clearings_changed };
      await ledger.pass([], () => ({ changes, result: null }));
    } else if (arrival.kind === 'clearing') {
      const row = this.#matched(arrival.row);
      this.#clearings.set(row.id, { planned: arrival.row, row });
      await ledger.pass([], () => ({ changes: { ...no_changes, clearings_inserted: [row] }, result: null }));
    } else if (arrival.kind === 'move') {
      await this.#move(arrival.of, arrival.to);
    } else if (arrival.kind === 'line') {
      const { id: account_id, company_id } = this.#accounts[arrival.line.currency]!;
      await unitOfWork.run((tx) => tx.accounts.recordLines([{ ...arrival.line, account_id, company_id }]));
    } else {
      const { id } = this.#accounts[arrival.currency]!;
      const first_statement = { as_of: arrival.as_of, balance: money(0) };
      await unitOfWork.run((tx) => tx.accounts.updateEnds({ id, first_statement, last_statement: first_statement }));
    }
  }

  /** Changes every clearing and changes it back, so that all have arrived again. */
  async touchClearings(): Promise<void> {
    const rows = [...this.#clearings.values()].map(({ row }) => row);
    for (const changed of [rows.map((row) => ({ ...row, review: !row.review })), rows]) {
      const changes = { ...no_changes, clearings_changed: changed.map(clearingChangeOf) };
      await this.storage.ledger.pass([], () => ({ changes, result: null }));
    }
  }

  /** The items, with the references of lines in place of their ids, which storage gives. */
  async items(): Promise<readonly unknown[]> {
    const stored = await this.storedItems();
    return await this.comparable(stored);
  }

  async storedItems(): Promise<readonly Item[]> {
    const { unitOfWork } = this.storage;
    const items = await unitOfWork.read((tx) => tx.reconciliation.itemsAfter(this.company_id, null, 1_000));
    return items.toSorted((a, b) => a.id - b.id);
  }

  async comparable(items: readonly ItemContent[]): Promise<readonly unknown[]> {
    const ids = items.flatMap(({ line_ids }) => line_ids);
    const lines = await this.storage.unitOfWork.read((tx) => tx.reconciliation.lines(this.company_id, ids));
    const references = new Map(lines.map(({ id, bank_reference }) => [id, bank_reference!]));
    const named = (line_ids: readonly number[]) => line_ids.map((id) => references.get(id)!).sort();
    // Ids count from those of the world, so that worlds can be compared.
    const relative = (_name: string, value: unknown) =>
      typeof value === 'number' && value >= this.#base && value < this.#base + ids_of_world
        ? value - this.#base
        : value;
    return items
      .map(({ id, company_id: _company, line_ids, matches, alternatives, ...item }) => {
        const record = recordOfItemId(id)!;
        const { version: _version, period_id: _period, vcn_id: _card, account_id: _account, ...content } = item as Item;
        return {
          ...content,
          id: record.kind === 'line' ? references.get(record.id) : `${record.kind} ${record.id - this.#base}`,
          line_ids: named(line_ids),
          matches: inOrder(matches.map((match) => ({ ...match, line_ids: named(match.line_ids) }))),
          alternatives: inOrder(alternatives.map((one) => ({ ...one, line_ids: named(one.line_ids) }))),
        };
      })
      .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
      .map((item) => JSON.parse(JSON.stringify(item, relative)));
  }

  #authorization(id: number, { amount: thousands, status, currency }: PurchasePlan, at_ms: number): Authorization {
    const amount = money(thousands * 1_000);
    const message = authorizationMessage(no_number, {
      trace_id: `R${id}`,
      transaction_date_time_ms: at_ms,
      billing_amount: amount,
      merchant_amount: amount,
      merchant_currency: currency,
      net_reference_number: null,
      merchant_id: null,
      details: { merchant_name: 'Paper and Ink' },
    });
    const decided = { id, root_id: id, decided_at_ms: at_ms, approval_code: null, window_start_ms: 0 };
    const holds = status === 'reversed' ? money(0) : amount;
    const hold_end_ms = startOf(daysAfter(first_day, 3 + thousands));
    const open = { ...decided, status: 'open', holds, hold_end_ms } as const;
    return { ...newAuthorization(message, this.#cardOf(currency), open), status: status! };
  }

  #cardOf(currency: string): { readonly id: number; readonly company_id: number } {
    return { id: this.#cards[currency]!, company_id: this.company_id };
  }

  #clearing(
    id: number,
    { currency }: PurchasePlan,
    plan: ClearingPlan,
    matched: { readonly authorization_id: number | null; readonly refers_to: number | null; readonly at_ms: number },
  ): Clearing {
    const { authorization_id, refers_to: clearing_id, at_ms } = matched;
    const message = clearingMessage(no_number, {
      network_financial_transaction_id: `F${id}`,
      cycle: plan.cycle,
      clearing_type: plan.is_credit ? 'CREDIT' : 'DEBIT',
      partial: plan.class === 'partial',
      billing_amount: money(plan.amount * 1_000),
      billing_currency: currency,
      merchant_amount: null,
      merchant_currency: null,
      acquirer_reference_data: referenceOf(plan.reference, 'long'),
      approval_code: null,
      net_reference_number: null,
      merchant_id: null,
      settlement_date: daysAfter(first_day, plan.days),
      details: {},
    });
    return {
      ...unmatchedClearing(message, this.#cardOf(currency), { id, now_ms: at_ms, window_start_ms: 0 }),
      authorization_id,
      clearing_id,
      match_rule: authorization_id === null && clearing_id === null ? 8 : plan.match_rule,
      review: plan.review,
      class: plan.class,
    };
  }

  /** The clearing as it is matched by now: to its authorization only once that has arrived. */
  #matched(planned: Clearing): Clearing {
    const moved_to = this.#moved.get(planned.id);
    const moved = moved_to === undefined ? planned : { ...planned, authorization_id: moved_to, clearing_id: null };
    const { authorization_id } = moved;
    if (authorization_id === null || this.#roots.has(authorization_id)) return moved;
    return { ...moved, authorization_id: null, match_rule: 8 };
  }

  /** The changes of the clearings whose match is another one now. */
  #matchAgain(): readonly ClearingChange[] {
    return [...this.#clearings.values()].flatMap(({ planned, row }) => {
      const matched = this.#matched(planned);
      if (matched.authorization_id === row.authorization_id && matched.clearing_id === row.clearing_id) return [];
      this.#clearings.set(row.id, { planned, row: matched });
      return clearingChangeOf(matched);
    });
  }

  async #move(of: number, to: number): Promise<void> {
    // Of several moves of a clearing one counts, in any order.
    this.#moved.set(of, Math.max(to, this.#moved.get(of) ?? 0));
    const clearings_changed = this.#matchAgain();
    await this.storage.ledger.pass([], () => ({ changes: { ...no_changes, clearings_changed }, result: null }));
  }
}

async function cardOf(tx: StorageTx, company_id: number, billing_currency: string): Promise<number> {
  const real_card = await tx.real_cards.insert(newRealCard(company_id, { billing_currency }));
  return (await makeCard(tx, { company_id, rcn_id: real_card.id })).id;
}

/** Lines of different days have their references in different forms. */
const line_forms = ['short', 'long', 'dated'] as const;

/**
 * The same reference as clearings and as some lines have it. `dated` has another date: it is the
 * same only without its date.
 */
function referenceOf(number: number, form: (typeof line_forms)[number]): string | null {
  if (number === 0) return null;
  const bin = `54312${number}`;
  const sequence = `0000000000${number}`;
  if (form === 'short') return `${bin}${sequence}`;
  return `7${bin}${form === 'dated' ? 6065 : 6061}${sequence}5`;
}

function lineOf(plan: LinePlan, currency: string, bank_reference: string, recorded_at_ms: number) {
  const owner = { id: 0, company_id: 0 };
  return newLine(owner, {
    currency,
    bank_reference,
    recorded_at_ms,
    amount: money(-plan.amount * 1_000),
    bai_code: card_line_codes[plan.code]!,
    booking_date: daysAfter(first_day, plan.days),
    value_date: daysAfter(first_day, plan.days),
    acquirer_reference: referenceOf(plan.reference, line_forms[plan.days % line_forms.length]!),
  });
}

function inOrder<Value>(values: readonly Value[]): readonly Value[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
