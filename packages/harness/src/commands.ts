import fc from 'fast-check';
import { agree, Disagreement, text } from './agreement.ts';
import {
  type CardPlan,
  cardPlan,
  cardRequest,
  type Flaw,
  flawedCard,
  flawedRequest,
  type UpdatePlan,
  updatePlan,
  updateRequest,
} from './arbitraries/cards.ts';
import { type ClockMove, clockMove, clockTarget } from './arbitraries/clocks.ts';
import {
  type AuthorizationPlan,
  authorizationOf,
  authorizationPlan,
  type ClearingPlan,
  clearingOf,
  clearingPlan,
  lateOriginalOf,
  pick,
  type ReversalPlan,
  reversalOf,
  reversalPlan,
} from './arbitraries/messages.ts';
import { kindOf } from './reference/authorization.ts';
import type { ReferenceCard } from './reference/card.ts';
import type { ReferenceModel } from './reference/model.ts';
import type { Answer, AuthorizationWire, CardRequest, CardView, ClearingWire, EventView, System } from './system.ts';

/** One step of a sequence: does the same to the model and to the system, and compares. */
export type Command = fc.AsyncCommand<ReferenceModel, System>;

/** Sequences of commands of every kind. `replay_path` reproduces a failure. */
export function commandSequence(commands_max: number, replay_path?: string): fc.Arbitrary<Iterable<Command>> {
  const authorize = authorizationPlan().map((plan) => new Authorize(plan));
  const clear = clearingPlan().map((plan) => new Clear(plan));
  const reverse = reversalPlan().map((plan) => new Reverse(plan));
  const move = clockMove().map((plan) => new AdvanceClock(plan));
  const burst = fc.array(authorizationPlan(), { minLength: 2, maxLength: 4 }).map((plans) => new Burst(plans));
  const update = fc.tuple(fc.nat({ max: 5 }), updatePlan()).map(([card_pick, plan]) => new UpdateCard(card_pick, plan));
  // fast-check draws evenly from the list, so an entry that is repeated is drawn more often.
  const kinds: fc.Arbitrary<Command>[] = [
    ...Array.from({ length: 12 }, () => authorize),
    ...Array.from({ length: 5 }, () => clear),
    ...Array.from({ length: 3 }, () => move),
    reverse,
    reverse,
    burst,
    update,
    cardPlan().map((plan) => new CreateCard(plan)),
    flawedCard().map(({ plan, flaw }) => new CreateFlawedCard(plan, flaw)),
    fc.nat({ max: 5 }).map((card_pick) => new CancelCard(card_pick)),
    fc.nat({ max: 5 }).map((card_pick) => new ReadCard(card_pick)),
    fc
      .record({ card: fc.nat({ max: 5 }), message: fc.nat({ max: 30 }) })
      .map((at) => new RepeatAuthorization(at.card, at.message)),
    fc
      .record({ card: fc.nat({ max: 5 }), clearing: fc.nat({ max: 10 }) })
      .map((at) => new RepeatClearing(at.card, at.clearing)),
  ];
  return fc.commands(kinds, {
    maxCommands: commands_max,
    size: 'max',
    ...(replay_path === undefined ? {} : { replayPath: replay_path }),
  });
}

/** Compares every card and the whole event log; runs after a sequence. */
export async function compareAll(model: ReferenceModel, system: System): Promise<void> {
  for (const card of model.cards) await compareCard(model, system, card);
  await compareEvents(model, system);
}

/**
 * Compares the events. Each card must have the same events in the same order, and no event may be
 * earlier than the previous one. Messages that were submitted together may be recorded in any order
 * if they are about different cards.
 */
async function compareEvents(model: ReferenceModel, system: System): Promise<void> {
  const seen = await system.events();
  const byCard = (events: readonly EventView[]) => events.toSorted((a, b) => (a.vcn_id ?? 0) - (b.vcn_id ?? 0));
  agree('the events of each card', byCard(model.events), byCard(seen));
  const times = seen.map(({ created_at_ms }) => created_at_ms);
  agree(
    'the times of the event log',
    times.toSorted((a, b) => a - b),
    times,
  );
}

export class CreateCard implements Command {
  readonly #plan: CardPlan;

  constructor(plan: CardPlan) {
    this.#plan = plan;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await create(model, system, cardRequest(this.#plan, model.now_ms, model.world));
  }

  toString(): string {
    return `create ${text(this.#plan)}`;
  }
}

class CreateFlawedCard implements Command {
  readonly #plan: CardPlan;
  readonly #flaw: Flaw;

  constructor(plan: CardPlan, flaw: Flaw) {
    this.#plan = plan;
    this.#flaw = flaw;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await create(model, system, flawedRequest(this.#plan, this.#flaw, model.now_ms, model.world));
  }

  toString(): string {
    return `create ${text(this.#plan)} but ${text(this.#flaw)}`;
  }
}

class UpdateCard implements Command {
  readonly #card_pick: number;
  readonly #plan: UpdatePlan;

  constructor(card_pick: number, plan: UpdatePlan) {
    this.#card_pick = card_pick;
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    const request = updateRequest(this.#plan, model.now_ms, model.world);
    const actual = await system.updateCard(card.id, request);
    const expected = model.updateCard(card, request);
    agreeAnswers(`update of card ${card.id} with ${text(request)}`, expected, actual, agreeCards);
    await compareCard(model, system, card);
  }

  toString(): string {
    return `update card ${this.#card_pick} ${text(this.#plan)}`;
  }
}

/** Never cancels the only card, because a canceled card shows few differences. */
class CancelCard implements Command {
  readonly #card_pick: number;

  constructor(card_pick: number) {
    this.#card_pick = card_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 1;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    const actual = await system.cancelCard(card.id);
    agreeAnswers(`cancellation of card ${card.id}`, model.cancelCard(card), actual, agree);
    await compareCard(model, system, card);
  }

  toString(): string {
    return `cancel card ${this.#card_pick}`;
  }
}

class ReadCard implements Command {
  readonly #card_pick: number;

  constructor(card_pick: number) {
    this.#card_pick = card_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await compareCard(model, system, pick(model.cards, this.#card_pick)!);
    await compareEvents(model, system);
  }

  toString(): string {
    return `read card ${this.#card_pick} and the events`;
  }
}

class Authorize implements Command {
  readonly #plan: AuthorizationPlan;

  constructor(plan: AuthorizationPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await send(model, system, [authorizationOf(this.#plan, model)]);
  }

  toString(): string {
    return `authorize ${text(this.#plan)}`;
  }
}

/**
 * Several messages submitted together, so that they may share a pass. Messages about one card are
 * decided in the order in which they were submitted.
 */
class Burst implements Command {
  readonly #plans: readonly AuthorizationPlan[];

  constructor(plans: readonly AuthorizationPlan[]) {
    this.#plans = plans;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await send(
      model,
      system,
      this.#plans.map((plan) => authorizationOf(plan, model)),
    );
  }

  toString(): string {
    return `authorize together ${this.#plans.map(text).join(' and ')}`;
  }
}

class RepeatAuthorization implements Command {
  readonly #card_pick: number;
  readonly #message_pick: number;

  constructor(card_pick: number, message_pick: number) {
    this.#card_pick = card_pick;
    this.#message_pick = message_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return (pick(model.cards, this.#card_pick)?.messages.length ?? 0) > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    await send(model, system, [pick(card.messages, this.#message_pick)!.message]);
  }

  toString(): string {
    return `repeat message ${this.#message_pick} of card ${this.#card_pick}`;
  }
}

class Reverse implements Command {
  readonly #plan: ReversalPlan;

  constructor(plan: ReversalPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const reversal = reversalOf(this.#plan, model);
    await send(model, system, [reversal]);
    if (this.#plan.before_original) await send(model, system, [lateOriginalOf(reversal, model)]);
  }

  toString(): string {
    return `reverse ${text(this.#plan)}`;
  }
}

class Clear implements Command {
  readonly #plan: ClearingPlan;

  constructor(plan: ClearingPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await sendClearing(model, system, clearingOf(this.#plan, model));
  }

  toString(): string {
    return `clear ${text(this.#plan)}`;
  }
}

class RepeatClearing implements Command {
  readonly #card_pick: number;
  readonly #clearing_pick: number;

  constructor(card_pick: number, clearing_pick: number) {
    this.#card_pick = card_pick;
    this.#clearing_pick = clearing_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return (pick(model.cards, this.#card_pick)?.clearings.length ?? 0) > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    await sendClearing(model, system, pick(card.clearings, this.#clearing_pick)!.message);
  }

  toString(): string {
    return `repeat clearing ${this.#clearing_pick} of card ${this.#card_pick}`;
  }
}

class AdvanceClock implements Command {
  readonly #move: ClockMove;

  constructor(move: ClockMove) {
    this.#move = move;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card_pick = this.#move.kind === 'boundary' ? this.#move.card_pick : 0;
    const card = pick(model.cards, card_pick);
    const to_ms = clockTarget(this.#move, model.now_ms, () => (card === undefined ? [] : model.boundaries(card)));
    model.advanceClock(to_ms);
    await system.advanceClock(to_ms);
    if (card !== undefined) await compareCard(model, system, card);
  }

  toString(): string {
    return `move the clock ${text(this.#move)}`;
  }
}

async function create(model: ReferenceModel, system: System, request: CardRequest): Promise<void> {
  const actual = await system.createCard(request);
  agreeAnswers(`creation of a card with ${text(request)}`, model.wouldCreate(request), actual, () => undefined);
  if (actual.kind === 'refused') return;
  const { card, card_number, cvc } = actual.value;
  agreeCards('the created card', model.createCard(request, { id: card.id, card_number, cvc }), card);
}

async function send(model: ReferenceModel, system: System, messages: readonly AuthorizationWire[]): Promise<void> {
  const answers = await Promise.all(messages.map((message) => system.authorize(message)));
  for (const [at, message] of messages.entries()) {
    const actual = answers[at]!;
    const { answer: expected, answered } = model.authorize(message);
    const what = `authorization message ${text({ ...message, card_number: '(number)', cvc: message.cvc && '(cvc)' })}`;
    const is_first = answered !== null && answered.message === message && answered.answer.id === null;
    agreeAnswers(what, expected, actual, (_what, right, seen) => {
      if (is_first) {
        agreeOnCode(what, message, right.issuer_response === 'Approved', seen.approval_code);
        model.learnAuthorization(answered, seen);
        agree(what, { ...right, id: seen.id, approval_code: seen.approval_code }, seen);
      } else agree(what, right, seen);
    });
  }
  for (const card of concerned(model, messages)) await compareCard(model, system, card);
}

/**
 * An approved message has six characters, a declined message none. A reversal repeats the code of
 * its original, if there is one.
 */
function agreeOnCode(what: string, message: AuthorizationWire, approved: boolean, code: string | null): void {
  if (approved && kindOf(message) === 'reversal') return;
  agree(`${what}: whether it has an approval code of six characters`, approved, code !== null && code.length === 6);
}

async function sendClearing(model: ReferenceModel, system: System, message: ClearingWire): Promise<void> {
  const actual = await system.clear(message);
  const { answer: expected, answered } = model.clear(message);
  const what = `clearing ${text({ ...message, ...(message.card_number === undefined ? {} : { card_number: '(number)' }) })}`;
  agreeAnswers(what, expected, actual, (_what, right, seen) => {
    const is_first = answered !== null && right.id === 0;
    agree(what, is_first ? { ...right, id: seen.id } : right, seen);
    if (is_first) model.learnClearing(answered, seen);
  });
  const card = model.cards.find(({ id, card_number }) => id === message.vcn_id || card_number === message.card_number);
  if (card !== undefined) await compareCard(model, system, card);
}

function concerned(model: ReferenceModel, messages: readonly AuthorizationWire[]): readonly ReferenceCard[] {
  const numbers = new Set(messages.map((message) => message.card_number));
  return model.cards.filter((card) => numbers.has(card.card_number));
}

async function compareCard(model: ReferenceModel, system: System, card: ReferenceCard): Promise<void> {
  const what = `card ${card.id} as read at ${Temporal.Instant.fromEpochMilliseconds(model.now_ms)}`;
  agreeAnswers(what, { kind: 'done', value: model.view(card) }, await system.readCard(card.id), agreeCards);
}

/**
 * Compares field by field, so that the error names the difference. Fields that a system does not
 * report are not compared.
 */
function agreeCards(what: string, expected: CardView, actual: CardView): void {
  for (const [name, right] of Object.entries(expected)) {
    const seen = (actual as unknown as Readonly<Record<string, unknown>>)[name];
    if (name === 'uses' && seen === null) continue;
    agree(`${what}: ${name}`, Array.isArray(right) ? right.slice(0, 100) : right, seen);
  }
}

/**
 * Agree if both succeed and `compare` finds no difference, or if both refuse with the same code and
 * name a field in common. If a request is wrong in two ways, either refusal is right.
 */
function agreeAnswers<Expected, Actual>(
  what: string,
  expected: Answer<Expected>,
  actual: Answer<Actual>,
  compare: (what: string, expected: Expected, actual: Actual) => void,
): void {
  if (expected.kind === 'done' && actual.kind === 'done') {
    compare(what, expected.value, actual.value);
    return;
  }
  if (expected.kind === 'done' || actual.kind === 'done') throw new Disagreement(what, expected, actual);
  agree(`${what}: the code of its refusal`, expected.code, actual.code);
  const named = expected.fields.length === 0 || expected.fields.some((field) => actual.fields.includes(field));
  if (!named) throw new Disagreement(`${what}: the fields that its refusal names`, expected.fields, actual.fields);
}
