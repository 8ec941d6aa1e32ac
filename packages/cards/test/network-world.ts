import { createHash } from 'node:crypto';
import type { Event } from '@tallystick/events';
import { money, type Random, Refusal, Temporal, toHex } from '@tallystick/kernel';
import { loadWindows, type MemoryLedger, memoryPersistence, type State } from '@tallystick/memory';
import { default_template_ids } from '@tallystick/templates';
import {
  type AuthorizationAnswer,
  type AuthorizationInput,
  type AuthorizationItem,
  balanceOf,
  type CardVault,
  type ClearingAnswer,
  type ClearingInput,
  type ClearingItem,
  type Counters,
  type Fold,
  foldMessages,
  type LedgerCard,
  type LedgerState,
  lookupsOf,
  type NetworkAnswer,
  type NetworkMessage,
  newCounters,
  no_details,
  normalizeAuthorization,
  normalizeClearing,
  type QuarantinePorts,
  type UnknownNumberMessage,
  type VirtualCard,
} from '../src/index.ts';

/** The code of every card in these tests. */
export const right_cvc = '123';

/** A vault whose keyed hash is the number itself: enough to distinguish numbers. */
export const vault: Pick<CardVault, 'index' | 'cvcMatches'> = {
  index: (pan) => new TextEncoder().encode(pan.reveal()),
  cvcMatches: (_pan, _expiry, cvc) => cvc === right_cvc,
};

/** Seals nothing, so that a test can read what was sealed. */
export const plain_quarantine: QuarantinePorts = {
  sealer: { seal: (_purpose, clear) => clear, open: (_purpose, sealed) => sealed, isCurrent: () => true },
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};

/** The same sequence each time, so that two runs can be compared. */
export function sequenceRandom(): Random {
  let drawn = 0;
  return {
    below: (bound) => (drawn++ * 7_919) % bound,
    bytes: (count) => new Uint8Array(count),
  };
}

export const ms = (iso: string) => Temporal.Instant.from(iso).epochMilliseconds;

export const no_counters: Counters = newCounters(0);

export function numberOf(card_id: number): string {
  return `55${String(card_id).padStart(14, '0')}`;
}

export type CardSketch = Partial<Omit<LedgerCard, 'number_index' | 'last4'>>;

const real_card_id = 3;

/** An ordinary card: 1,000.00 in total, any merchant, for two years. */
export function cardOf(sketch: CardSketch = {}): LedgerCard {
  const id = sketch.id ?? 1;
  const number = numberOf(id);
  return {
    id,
    company_id: 7,
    rcn_id: real_card_id,
    rcn_alias: 'Travel',
    billing_currency: 'USD',
    status: 'Approved',
    frozen_at_ms: null,
    last4: number.slice(-4),
    expiry: '2028-11',
    number_index: new TextEncoder().encode(number),
    counters: no_counters,
    template: { mcc_rule: 'DENY', mcc_list: [], merchant_controls: null, version: 1 },
    template_id: default_template_ids.VELOCITY,
    controls_version: 1,
    per_transaction_min: money(0),
    per_transaction_max: money(100_000),
    per_transaction_max_defaulted: true,
    total_card_amount: money(100_000),
    transactions_max: null,
    recurring: 'Continuous',
    authorization_hold_days: null,
    aging_velocity_time_zone: null,
    currency: null,
    merchant_controls: null,
    valid_starting_on: '2026-01-01',
    valid_ending_on: '2028-11-30',
    hold_days: null,
    company_status: 'active',
    endpoint_version: 0,
    provisional_clearings: 0,
    settled_through: null,
    ...sketch,
  };
}

export const aging = {
  recurring: null,
  authorization_hold_days: 7,
  aging_velocity_time_zone: 'America/New_York',
} as const;

/** Writes a card to the storage, with its number and a separate template. */
function storeCard({ cards, companies, numbers, card_ids, templates }: State, card: LedgerCard): void {
  const {
    number_index,
    template,
    hold_days,
    company_status,
    endpoint_version,
    provisional_clearings,
    settled_through,
    ...stored
  } = card;
  const company = { id: card.company_id, name: 'Acme', customer_number: '1', full_details_in_mail: false };
  const state = { hold_days, status: company_status, endpoint_version, rate_limit_per_minute: null, created_at_ms: 0 };
  companies.set(card.company_id, { ...company, ...state, four_eyes: null });
  const template_id = 100 + card.id;
  const shared = templates.get(default_template_ids.VELOCITY)!;
  templates.set(template_id, { ...shared, ...template, id: template_id, company_id: card.company_id });
  numbers.set(card.id, { number_index, number_sealed: new Uint8Array([1]), number_key_id: 'k' });
  card_ids.set(toHex(number_index), card.id);
  cards.set(card.id, {
    ...stored,
    template_id,
    ...no_details,
    notified: false,
    supplier_id: null,
    created_at_ms: 0,
    canceled_at_ms: null,
  });
}

/**
 * A ledger with cards, and short methods that send network messages to it. Amounts are in cents.
 */
export class NetworkWorld {
  /**
   * The rows that a pass loads: those that the ledger promises, or also all others of its cards.
   */
  loads: 'what is promised' | 'everything' = 'what is promised';
  now_ms: number;
  readonly ledger: MemoryLedger;
  readonly unitOfWork: ReturnType<typeof memoryPersistence>['unitOfWork'];
  readonly random = sequenceRandom();
  readonly #committed: () => State;
  #sent = 0;

  constructor(now: string, ...sketches: readonly CardSketch[]) {
    this.now_ms = ms(now);
    const clock = { nowMs: () => this.now_ms };
    const { ledger, unitOfWork, committed } = memoryPersistence({ clock });
    this.ledger = ledger;
    this.unitOfWork = unitOfWork;
    this.#committed = committed;
    for (const sketch of sketches.length === 0 ? [{}] : sketches) storeCard(this.state, cardOf(sketch));
  }

  set now(iso: string) {
    this.now_ms = ms(iso);
  }

  /** The committed state. */
  get state(): State {
    return this.#committed();
  }

  get events(): readonly Event[] {
    return this.state.events.values();
  }

  get unknown_numbers(): readonly UnknownNumberMessage[] {
    return this.state.unknown_numbers.values();
  }

  card(id = 1): VirtualCard {
    return this.state.cards.get(id)!;
  }

  get counters(): Counters {
    return this.card().counters;
  }

  /** The stored counters of a past window of card 1. */
  window(window_start_ms: number) {
    return this.state.card_windows.values().find((window) => window.window_start_ms === window_start_ms);
  }

  row(id: number) {
    return this.state.authorizations.get(id)!;
  }

  clearing(id: number) {
    return this.state.clearings.get(id)!;
  }

  /** Returns the available amount of the card, as a reader sees it. */
  available(id = 1): number {
    const held_past_end = this.state.authorizations
      .values()
      .filter((row) => row.card_id === id && row.hold_end_ms !== null && row.hold_end_ms <= this.now_ms)
      .reduce((sum, { held }) => sum + held, 0);
    const ends = { held_past_end: money(held_past_end), next_hold_end_ms: null };
    return balanceOf(this.card(id), ends, this.now_ms).available;
  }

  message(input: Partial<AuthorizationInput> & { card_id?: number } = {}) {
    return normalizeAuthorization(this.input(input), vault, null);
  }

  input({ card_id, ...input }: Partial<AuthorizationInput> & { card_id?: number } = {}): AuthorizationInput {
    this.#sent += 1;
    const amount = input.billing_amount ?? 1_000;
    return {
      card_number: numberOf(card_id ?? 1),
      message_type_indicator: '0100',
      billing_amount: amount,
      billing_currency: 'USD',
      merchant_amount: amount,
      merchant_currency: 'USD',
      mcc: '5812',
      trace_id: `trace-${this.#sent}`,
      system_trace_audit_number: String(this.#sent).padStart(6, '0'),
      transaction_date_time: '2026-11-21T12:00:00Z',
      ...input,
    };
  }

  clearingMessage({ card_id, ...input }: Partial<ClearingInput> & { card_id?: number } = {}) {
    this.#sent += 1;
    return normalizeClearing(
      {
        ...(input.card_number === undefined ? { vcn_id: card_id ?? 1 } : {}),
        network_financial_transaction_id: `ft-${String(this.#sent).padStart(6, '0')}`,
        billing_amount: 1_000,
        billing_currency: 'USD',
        clearing_type: 'DEBIT',
        settlement_date: '2026-11-23',
        ...input,
      },
      vault,
      null,
    );
  }

  /** Runs one pass over the messages. */
  send(...messages: readonly NetworkMessage[]) {
    const fold: Fold<readonly NetworkAnswer[]> = (state) =>
      foldMessages(state, messages, { vault, random: this.random, ...plain_quarantine });
    return this.ledger.passNow(messages.flatMap(lookupsOf), (state) =>
      fold(this.loads === 'everything' ? this.#withEverything(state) : state),
    );
  }

  /** Returns the state with everything that is recorded on its cards. */
  #withEverything(state: LedgerState): LedgerState {
    const { authorizations, clearings } = this.state;
    const ids = new Set(state.cards.map(({ id }) => id));
    const copies = state.clearings.filter(({ card_id }) => !ids.has(card_id));
    const everything = {
      authorizations: authorizations.values().filter(({ card_id }) => ids.has(card_id)),
      clearings: [...clearings.values().filter(({ card_id }) => ids.has(card_id)), ...copies],
    };
    return { ...state, ...everything, windows: loadWindows(this.state, [...ids], everything) };
  }

  authorize(input: Partial<AuthorizationInput> & { card_id?: number } = {}): AuthorizationItem {
    return itemOf(this.send(this.message(input))[0] as AuthorizationAnswer);
  }

  /** Releases the hold of an authorization of card 1 by hand. */
  release(authorization_id: number): void {
    const by = { company_id: 7, note: 'by hand', actor: 'key:9', request_id: null } as const;
    const [answer] = this.send({ kind: 'release', number_index: null, vcn_id: 1, authorization_id, ...by });
    if (answer?.kind === 'refused') throw answer.refusal;
  }

  clear(input: Partial<ClearingInput> & { card_id?: number } = {}): ClearingItem {
    return itemOf(this.send(this.clearingMessage(input))[0] as ClearingAnswer);
  }
}

/** Returns the item of an answer; throws the refusal of a refused one. */
export function itemOf<Answer extends AuthorizationAnswer | ClearingAnswer>(
  answer: Answer,
): Extract<Answer, { kind: 'answered' }>['item'] {
  if (answer.kind === 'refused') throw answer.refusal;
  return answer.item as Extract<Answer, { kind: 'answered' }>['item'];
}

/** Returns a check for `assert.throws`: a refusal that names the field. */
export function namesField(path: string) {
  return (error: unknown) => error instanceof Refusal && error.fields.some((field) => field.path === path);
}
