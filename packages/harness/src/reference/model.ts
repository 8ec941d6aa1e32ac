import { Temporal } from 'temporal-polyfill';
import { text } from '../agreement.ts';
import type { FaultPoint } from '../faults.ts';
import type {
  Answer,
  AuthorizationView,
  AuthorizationWire,
  CapabilityName,
  CardRequest,
  CardView,
  ClearingView,
  ClearingWire,
  EventView,
  HoldDays,
  QuarantineView,
  RematchWire,
  StandIn,
  World,
  WorldTemplate,
} from '../system.ts';
import {
  answerOf,
  decide,
  differingKeys,
  hasWrongCode,
  problemsOf,
  reasons,
  wrong_codes_max,
  wrongAmounts,
  wrongCodesOn,
} from './authorization.ts';
import { decideByHand } from './by-hand.ts';
import { expiryInstant, expiryOf } from './calendar.ts';
import {
  type AnsweredClearing,
  type AnsweredMessage,
  availableBalance,
  balanceOf,
  perTransactionMax,
  purchasesOf,
  type ReferenceCard,
  usedIn,
  usesOf,
  windowOn,
} from './card.ts';
import type { Case } from './cases.ts';
import { differences, pair, settleAll, unsettled } from './clearing.ts';
import { comeAfterEnd, end, holdOf, type Purchase, statusOf } from './purchase.ts';
import { readCreate, readUpdate } from './request.ts';

/** Values that only the system can choose. The model learns them. */
export interface CardIdentity {
  readonly id: number;
  readonly card_number: string;
  readonly cvc: string;
}

/** A refused clearing in quarantine. `id` is null until the system has assigned it. */
export interface Quarantined {
  readonly message: ClearingWire;
  id: number | null;
  status: QuarantineView['status'];
  reason: QuarantineView['reason'];
  count: number;
  clearing_id: number | null;
}

/**
 * The reference model: the specification as a simple program. It stores the history and computes
 * every answer from the whole history. So it has no counter that could be wrong, and it shares no
 * code with the service.
 *
 * Each question first returns the required answer. Values that only the system can choose (ids,
 * numbers, approval codes) are then passed to the model with `learn...`, so that later messages can
 * refer to them.
 */
export class ReferenceModel {
  now_ms: number;
  readonly cards: ReferenceCard[] = [];
  readonly events: EventView[] = [];
  /** What was refused of a clearing and kept, oldest first. */
  readonly quarantine: Quarantined[] = [];
  /** How often the run reached each case. */
  readonly reached = new Map<Case, number>();
  /** The cases since the last message to the system, without statuses as they are read. */
  readonly latest = new Set<Case>();
  /** How often a fault struck at each point. */
  readonly faults = new Map<FaultPoint, number>();
  readonly world: World;
  /** What the system can do beside the required. Commands that need more are left out. */
  readonly capabilities: ReadonlySet<CapabilityName>;
  /** The days after which the holds of the company end, for cards without aging velocity. */
  hold_days: HoldDays = null;
  /** What stands in for the company when it is asked and gives no answer; null: it is not asked. */
  stand_in: StandIn | null = null;
  /**
   * Several orders explain a race, and the answers to later messages depend on which it was. No
   * further command runs in the sequence.
   */
  is_undecided = false;
  #made_up = 0;

  constructor(world: World, capabilities: ReadonlySet<CapabilityName> = new Set()) {
    this.world = world;
    this.capabilities = capabilities;
    this.now_ms = world.now_ms;
  }

  /** A model with the same history, in which this card may be changed without changing it here. */
  copyFor(card_id: number): ReferenceModel {
    const copy = new ReferenceModel(this.world, this.capabilities);
    for (const card of this.cards) copy.cards.push(card.id === card_id ? copy.#copyOf(card) : card);
    copy.events.push(...this.events);
    copy.quarantine.push(...this.quarantine.map((kept) => ({ ...kept })));
    copy.now_ms = this.now_ms;
    copy.hold_days = this.hold_days;
    copy.stand_in = this.stand_in;
    return copy;
  }

  #copyOf({ note: _other, ...card }: ReferenceCard): ReferenceCard {
    return { ...structuredClone(card), note: (reached) => this.#note(reached) };
  }

  /**
   * The history of a card on which later answers depend, as text: the same for two models that will
   * answer alike. An object that occurs again is a number.
   */
  historyOf(card_id: number): string {
    const places = new Map<unknown, number>();
    const card = this.cards.find(({ id }) => id === card_id);
    return JSON.stringify([card, this.quarantine], (_name, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value;
      const place = places.get(value);
      if (place === undefined) places.set(value, places.size);
      return place ?? value;
    });
  }

  /** Counts strikes at a point. 0: the system reported the point, and the fault did not strike there. */
  noteFault(point: FaultPoint, times = 1): void {
    this.faults.set(point, (this.faults.get(point) ?? 0) + times);
  }

  /**
   * Whether authorizations about one card that are submitted together are decided in the order of
   * their submission. One whose company is asked is decided once it has answered.
   */
  get keeps_order(): boolean {
    return this.world.keeps_order !== false && this.stand_in === null;
  }

  /** A number that no other message of the run has. */
  fresh(): number {
    this.#made_up += 1;
    return this.#made_up;
  }

  advanceClock(to_ms: number): void {
    this.now_ms = Math.max(this.now_ms, to_ms);
  }

  /**
   * Whether the request is valid. `createCard` then creates the card, once the system has assigned
   * its id and number.
   */
  wouldCreate(request: CardRequest): Answer<null> {
    const reading = readCreate(request, this.world, this.now_ms, expiryOf(this.now_ms));
    return reading.kind === 'fits' ? done(null) : wrong(reading.fields);
  }

  createCard(request: CardRequest, identity: CardIdentity): CardView {
    const expiry = expiryOf(this.now_ms);
    const reading = readCreate(request, this.world, this.now_ms, expiry);
    if (reading.kind === 'wrong') throw new Error(`no card comes of this request: ${reading.fields.join(', ')}`);
    const card: ReferenceCard = {
      ...identity,
      expiry,
      status: 'Approved',
      is_frozen: false,
      created_at_ms: this.now_ms,
      controls: reading.controls,
      notified: reading.controls.emails !== null,
      messages: [],
      clearings: [],
      messages_at_reset: 0,
      note: (reached) => this.#note(reached),
    };
    this.cards.push(card);
    this.#addEvent('virtualcard.created', card);
    return this.view(card);
  }

  updateCard(card: ReferenceCard, request: CardRequest): Answer<CardView> {
    if (card.status === 'Canceled') return wrong([]);
    const window = windowOn(card, this.now_ms);
    const used = usedIn(card, window, this.now_ms);
    const reading = readUpdate(request, this.world, this.now_ms, card.expiry, card.controls, used);
    const { total_card_amount: total } = request;
    if (typeof total === 'number' && total > 0 && total < used) this.#note('update: to a total below what is used');
    if (reading.kind === 'wrong') return wrong(reading.fields);
    if (total === used) this.#note('update: to a total that is used up');
    const changed = text(reading.controls) !== text(card.controls);
    card.controls = reading.controls;
    if (changed) this.#addEvent('virtualcard.updated', card);
    return done(this.view(card));
  }

  cancelCard(card: ReferenceCard): Answer<null> {
    if (card.status === 'Approved') {
      card.status = 'Canceled';
      this.#addEvent('virtualcard.deleted', card);
    }
    return done(null);
  }

  /**
   * `answered` is null when the number is unknown, or when the message is refused.
   */
  authorize(message: AuthorizationWire): {
    readonly answer: Answer<AuthorizationView>;
    readonly answered: AnsweredMessage | null;
  } {
    const wrong_amounts = wrongAmounts(message);
    if (wrong_amounts.length > 0) {
      this.#note('refused: an amount above the largest');
      return { answer: wrong(wrong_amounts), answered: null };
    }
    const card = this.cards.find(({ card_number }) => card_number === message.card_number);
    if (card === undefined) {
      this.#note('reason I');
      const unknown = { id: null, ...reasons.I, issuer_response: 'Declined', approval_code: null, status: 'declined' };
      return { answer: done(unknown), answered: null };
    }
    if (message.billing_currency !== this.world.billing_currency)
      return { answer: wrong(['billing_currency']), answered: null };
    const differing = card.messages.map((earlier) => differingKeys(earlier.message, message));
    const first = card.messages[differing.findIndex((keys) => keys.length === 0)];
    if (first !== undefined) return { answer: done(first.answer), answered: first };

    const problems = problemsOf(card, message);
    if (problems.length > 0) return { answer: wrong(problems), answered: null };
    for (const [only, ...others] of differing) {
      if (only !== undefined && others.length === 0) this.#note(`another message: only ${only} differs`);
    }

    const { now_ms, hold_days, stand_in } = this;
    const around = { now_ms, template: this.#template(card), hold_days, stand_in };
    const decision = decide(card, message, around);
    this.#note(`reason ${decision.reason}`);
    if (hasWrongCode(card, message) && wrongCodesOn(card, this.now_ms) === wrong_codes_max - 1) {
      this.#note('codes: the tenth wrong one');
      this.#addEvent('virtualcard.updated', card);
    }
    const answered = { message, at_ms: this.now_ms, answer: answerOf(decision, message), purchase: decision.purchase };
    card.messages.push(answered);
    this.#addEvent('virtualcard.realtime.auths', card);
    return { answer: done(answered.answer), answered };
  }

  /** Records the id and the approval code that the system assigned to an authorization. */
  learnAuthorization(answered: AnsweredMessage, answer: AuthorizationView): void {
    Object.assign(answered.answer, { id: answer.id, approval_code: answer.approval_code });
    const { purchase } = answered;
    if (purchase !== null && purchase.message === answered.message) {
      Object.assign(purchase, { id: answer.id, approval_code: answer.approval_code });
    }
    const card = this.cards.find(({ messages }) => messages.includes(answered));
    if (card !== undefined) this.#settleAgain(card);
  }

  #settleAgain(card: ReferenceCard): void {
    const before = card.clearings.map(({ answer }) => ({ ...answer }));
    settleAll(card, this.now_ms);
    const is_changed = card.clearings.some(
      ({ answer }, at) => before[at]!.id > 0 && before[at]!.authorization_id !== answer.authorization_id,
    );
    if (is_changed) this.#note('clearing: matched again');
  }

  /** `answered` is null when the clearing is refused. It is then in quarantine. */
  clear(message: ClearingWire): { readonly answer: Answer<ClearingView>; readonly answered: AnsweredClearing | null } {
    const wrong_amounts = wrongAmounts(message);
    if (wrong_amounts.length > 0) return { answer: wrong(wrong_amounts), answered: null };
    const card = this.cards.find((known) => known.id === message.vcn_id || known.card_number === message.card_number);
    const id = message.network_financial_transaction_id;
    const owner = this.cards.find(({ clearings }) => clearings.some(({ ids }) => ids.includes(id)));
    if (card === undefined) {
      return this.#keep(message, 'unknown_card', { kind: 'refused', code: 'not_found', fields: [] });
    }
    if (owner === card) {
      const first = card.clearings.find(({ ids }) => ids.includes(id))!;
      const differing = differences(first, message);
      if (differing.length > 0) {
        const fields = ['network_financial_transaction_id', ...differing];
        return this.#keep(message, 'transaction_of_another_clearing', wrong(fields));
      }
      this.#note('rule 0');
      return { answer: done(first.answer), answered: first };
    }
    if (owner !== undefined) {
      return this.#keep(message, 'transaction_of_another_card', wrong(['network_financial_transaction_id']));
    }
    if (message.billing_currency !== this.world.billing_currency) {
      return this.#keep(message, 'other_billing_currency', wrong(['billing_currency']));
    }

    const paired = pair(card, message);
    if (paired !== null) {
      this.#note('rule 0: the other id of a pair');
      this.#settleAgain(card);
      return { answer: done(paired.answer), answered: paired };
    }
    const answered = unsettled(card, message, this.now_ms);
    card.clearings.push(answered);
    this.#settleAgain(card);
    if (answered.purchase !== null) comeAfterEnd(answered.purchase, answered);
    this.#addEvent('virtualcard.clearings', card);
    return { answer: done(answered.answer), answered };
  }

  /** Keeps a refused clearing once, however often it comes. */
  #keep(
    message: ClearingWire,
    // No generated amounts come near the largest sum.
    reason: Exclude<QuarantineView['reason'], 'sum_limit'>,
    answer: Answer<never>,
  ): { readonly answer: Answer<never>; readonly answered: null } {
    const known = this.quarantine.find((kept) => text(kept.message) === text(message));
    if (known === undefined) {
      this.quarantine.push({ message, reason, id: null, status: 'quarantined', count: 1, clearing_id: null });
    } else {
      known.reason = reason;
      known.count += 1;
    }
    this.#note(`refused: ${reason}`);
    return { answer, answered: null };
  }

  /**
   * Sends a clearing of the quarantine again. It is applied when the cause of its refusal is gone.
   * `answered` is null when it is refused again, or when it was applied before.
   */
  replay(kept: Quarantined): { readonly answer: Answer<null>; readonly answered: AnsweredClearing | null } {
    if (kept.status === 'applied') return { answer: conflict(), answered: null };
    const { answered } = this.clear(kept.message);
    this.#note(answered === null ? 'quarantine: refused again' : 'quarantine: replayed');
    if (answered === null) return { answer: conflict(), answered };
    kept.status = 'applied';
    return { answer: done(null), answered };
  }

  /** Ends a hold by hand. The use stays. */
  releaseHold(card: ReferenceCard, authorization_id: number): Answer<null> {
    const purchase = this.purchases(card).find(({ id }) => id === authorization_id);
    if (purchase === undefined || holdOf(purchase, this.now_ms) === 0) {
      this.#note('hold: nothing to release');
      return conflict();
    }
    end(purchase, 'released', this.now_ms);
    this.#settleAgain(card);
    this.#note('hold: released by hand');
    this.#addEvent('virtualcard.updated', card);
    return done(null);
  }

  /** Freezes or unfreezes a card. A repeat changes nothing. */
  setFrozen(card: ReferenceCard, frozen: boolean): Answer<null> {
    if (card.status === 'Canceled') {
      this.#note('freeze: of a canceled card');
      return conflict();
    }
    if (card.is_frozen === frozen) {
      this.#note('freeze: repeated');
      return done(null);
    }
    card.is_frozen = frozen;
    this.#addEvent('virtualcard.updated', card);
    return done(null);
  }

  rematch(card: ReferenceCard, request: RematchWire): Answer<null> {
    const clearing = card.clearings.find(({ answer }) => answer.id === request.clearing_id)!;
    const before = card.clearings.map(({ answer }) => ({ ...answer }));
    const refused = decideByHand(card, clearing, request, this.now_ms);
    const { authorization_id, is_confirmation } = request;
    const what = is_confirmation ? 'confirmation' : 'match';
    if (refused !== null) {
      this.#note('by hand: refused');
      return refused.length > 0 ? wrong(refused) : conflict();
    }
    this.#note(authorization_id === null ? `by hand: a ${what} taken back` : `by hand: a ${what}`);
    const was = before[card.clearings.indexOf(clearing)]!;
    const { answer } = clearing;
    const is_moved = was.authorization_id !== answer.authorization_id || was.clearing_id !== answer.clearing_id;
    if (is_moved) this.#addEvent('virtualcard.updated', card);
    const is_other_moved = card.clearings.some(
      (other, at) => other !== clearing && before[at]!.authorization_id !== other.answer.authorization_id,
    );
    if (is_other_moved) this.#note('by hand: other clearings matched again');
    return done(null);
  }

  resetCodeFailures(card: ReferenceCard): Answer<null> {
    if (wrongCodesOn(card, this.now_ms) === 0) return done(null);
    card.messages_at_reset = card.messages.length;
    this.#note('codes: forgotten');
    this.#addEvent('virtualcard.updated', card);
    return done(null);
  }

  setHoldDays(hold_days: HoldDays): Answer<null> {
    const is_valid = hold_days === null || hold_days === 'never' || (hold_days >= 1 && hold_days <= 365);
    if (!is_valid) return wrong(['hold_days']);
    this.hold_days = hold_days;
    return done(null);
  }

  learnClearing(answered: AnsweredClearing, answer: ClearingView): void {
    Object.assign(answered.answer, { id: answer.id });
    // Other clearings may refer to it.
    const card = this.cards.find(({ clearings }) => clearings.includes(answered));
    if (card !== undefined) this.#settleAgain(card);
  }

  /** The card as a client must read it now. */
  view(card: ReferenceCard): CardView {
    const { controls } = card;
    return {
      ...controls,
      id: card.id,
      status: card.status,
      frozen: card.is_frozen,
      available_balance: availableBalance(card, this.now_ms),
      balance: balanceOf(card, this.now_ms),
      uses: usesOf(card, this.now_ms),
      per_transaction_max: perTransactionMax(controls),
      expiry: card.expiry,
      notified: card.notified,
      authorizations: card.messages
        .map((answered) => ({ id: answered.answer.id ?? 0, status: this.#statusNow(answered) }))
        .filter(({ status }) => status !== 'expired' && status !== 'released')
        .reverse()
        .slice(0, 100),
      clearings: card.clearings
        .map(({ answer }) => ({ ...answer }))
        .reverse()
        .slice(0, 100),
    };
  }

  /** Future instants at which the card changes without a message, soonest first. */
  boundaries(card: ReferenceCard): number[] {
    const window_end = windowOn(card, this.now_ms).end_ms;
    const hold_ends = this.purchases(card).map(({ hold_end_ms }) => hold_end_ms ?? Number.NaN);
    const matching_ends = this.purchases(card).map(({ at_ms }) => at_ms + 35 * 24 * 3_600_000);
    const dates = [card.controls.valid_starting_on, card.controls.valid_ending_on].map(
      (date) => Temporal.PlainDate.from(date).toZonedDateTime('UTC').epochMilliseconds,
    );
    return [window_end, ...hold_ends, ...matching_ends, ...dates, expiryInstant(card.expiry)]
      .filter((at) => Number.isFinite(at) && at > this.now_ms)
      .sort((a, b) => a - b);
  }

  purchases(card: ReferenceCard): readonly Purchase[] {
    return purchasesOf(card);
  }

  /** An item has the status of the purchase that it made or changed, else that of its answer. */
  #statusNow({ purchase, answer }: AnsweredMessage): string {
    const status = purchase === null ? answer.status : statusOf(purchase, this.now_ms);
    this.#note(`status ${status as 'open'}`);
    return status;
  }

  #note(reached: Case): void {
    this.reached.set(reached, (this.reached.get(reached) ?? 0) + 1);
    // Of the statuses, only this one comes without a message whose rule says why.
    if (reached === 'status expired' || !reached.startsWith('status ')) this.latest.add(reached);
  }

  #template(card: ReferenceCard): WorldTemplate {
    const template = this.world.templates.find(({ id }) => id === card.controls.template_id);
    if (template === undefined) throw new Error(`the world has no template ${card.controls.template_id}`);
    return template;
  }

  #addEvent(event_type: string, card: ReferenceCard): void {
    this.events.push({ event_type, vcn_id: card.id, created_at_ms: this.now_ms });
  }
}

function conflict(): Answer<never> {
  return { kind: 'refused', code: 'conflict', fields: [] };
}

function done<Value>(value: Value): Answer<Value> {
  return { kind: 'done', value };
}

function wrong(fields: readonly string[]): Answer<never> {
  return { kind: 'refused', code: 'validation_failed', fields };
}
