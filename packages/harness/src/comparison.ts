import { Temporal } from 'temporal-polyfill';
import { agree, any_value, approval_code, findDifference, text } from './agreement.ts';
import { kindOf } from './reference/authorization.ts';
import type { ReferenceCard } from './reference/card.ts';
import { type ComparedValue, rule_of_value } from './reference/cases.ts';
import type { Quarantined, ReferenceModel } from './reference/model.ts';
import { expectAnswer } from './report/recording.ts';
import type {
  Answer,
  AuthorizationView,
  AuthorizationWire,
  CardRequest,
  CardView,
  ClearingView,
  ClearingWire,
  EventView,
  QuarantineView,
  System,
  SystemWith,
} from './system.ts';

/** Compares every card and the whole event log; runs after a sequence. */
export async function compareAll(model: ReferenceModel, system: System): Promise<void> {
  for (const card of model.cards) await compareCard(model, system, card);
  await compareEvents(model, system);
  await compareQuarantine(model, system);
}

/**
 * Compares the events. Each card must have the same events in the same order, and no event may be
 * earlier than the previous one. Messages that were submitted together may be recorded in any order
 * if they are about different cards.
 */
export async function compareEvents(model: ReferenceModel, system: System): Promise<void> {
  if (system.events === undefined) return;
  const seen = await system.events();
  expectAnswer(seen, model.events);
  agree('the events of each card', byCard(model.events), byCard(seen), 'events');
  const times = seen.map(({ created_at_ms }) => created_at_ms);
  const ascending = times.toSorted((a, b) => a - b);
  agree('the times of the event log', ascending, times, 'events');
}

/** Refers to nothing outside of itself, like `findDifference`. */
export function byCard(events: readonly EventView[]): readonly EventView[] {
  return events.toSorted((a, b) => (a.vcn_id ?? 0) - (b.vcn_id ?? 0));
}

export async function moveClock(
  model: ReferenceModel,
  system: SystemWith<'advanceClock'>,
  to_ms: number,
): Promise<void> {
  model.advanceClock(to_ms);
  await system.advanceClock(to_ms);
}

export async function create(model: ReferenceModel, system: System, request: CardRequest): Promise<void> {
  const actual = await system.createCard(request);
  const expected = model.wouldCreate(request);
  const what = `creation of a card with ${text(request)}`;
  agreeAnswers(what, expected.kind === 'done' ? { ...expected, value: any_value } : expected, actual);
  if (actual.kind === 'refused') return;
  const { card, card_number, cvc } = actual.value;
  const created = model.createCard(request, { id: card.id, card_number, cvc });
  agreeOnCard(
    'the created card',
    { kind: 'done', value: { card: { ...created, id: any_value } } },
    actual,
    'value.card.',
  );
}

/**
 * Submits the messages together to the system, unless it keeps no order, and one after another to
 * the model.
 */
export async function send(
  model: ReferenceModel,
  system: System,
  messages: readonly AuthorizationWire[],
): Promise<void> {
  const answers: Promise<Answer<AuthorizationView>>[] = [];
  for (const message of messages) {
    answers.push(system.authorize(message));
    if (!model.keeps_order) await answers.at(-1);
  }
  const seen = await Promise.all(answers);
  for (const [at, message] of messages.entries()) explainAuthorization(model, message, seen[at]!);
  for (const card of concerned(model, messages)) await compareCard(model, system, card);
}

/** Decides the message on the model, and compares the answers. The model learns what is new. */
export function explainAuthorization(
  model: ReferenceModel,
  message: AuthorizationWire,
  actual: Answer<AuthorizationView>,
): void {
  const { answer, answered } = model.authorize(message);
  const is_first = answered !== null && answered.answer.id === null;
  const expected =
    is_first && answer.kind === 'done' ? { ...answer, value: chosenBySystem(message, answer.value) } : answer;
  const is_repeated = answered !== null && !is_first;
  agreeAnswers(`authorization message ${masked(message)}`, expected, actual, is_repeated ? 'duplicate' : null);
  if (is_first && actual.kind === 'done') model.learnAuthorization(answered, actual.value);
}

/**
 * The answer to a new message. An approved message has a code of six characters, a declined message
 * none. A reversal repeats the code of its original, if there is one.
 */
function chosenBySystem(message: AuthorizationWire, answer: AuthorizationView) {
  const is_approved = answer.issuer_response === 'Approved';
  const code = kindOf(message) === 'reversal' ? any_value : approval_code;
  return { ...answer, id: any_value, approval_code: is_approved ? code : null };
}

export async function sendClearing(
  model: ReferenceModel,
  system: SystemWith<'clear'>,
  message: ClearingWire,
): Promise<void> {
  const actual = await system.clear(message);
  explainClearing(model, message, actual);
  const card = model.cards.find(({ id, card_number }) => id === message.vcn_id || card_number === message.card_number);
  if (card !== undefined) await compareCard(model, system, card);
  if (actual.kind === 'refused') await compareQuarantine(model, system);
}

/** Records the clearing on the model, and compares the answers. The model learns a new id. */
export function explainClearing(model: ReferenceModel, message: ClearingWire, actual: Answer<ClearingView>): void {
  const { answer, answered } = model.clear(message);
  const is_first = answered !== null && answered.answer.id === 0;
  const expected =
    is_first && answer.kind === 'done' ? { ...answer, value: { ...answer.value, id: any_value } } : answer;
  agreeAnswers(`clearing ${masked(message)}`, expected, actual);
  if (is_first && actual.kind === 'done') model.learnClearing(answered, actual.value);
}

/** Compares what was refused of clearings and kept, and lets the model learn the ids. */
export async function compareQuarantine(model: ReferenceModel, system: System): Promise<void> {
  if (system.quarantine !== undefined) agreeQuarantine(model, await system.quarantine());
}

export function agreeQuarantine(model: ReferenceModel, seen: readonly QuarantineView[]): void {
  const expected = model.quarantine.map(({ message, ...kept }) => {
    const { network_financial_transaction_id } = message;
    return { ...kept, id: kept.id ?? any_value, network_financial_transaction_id };
  });
  expectAnswer(seen, expected);
  agree('the quarantine', expected, seen, 'quarantine');
  for (const [at, kept] of model.quarantine.entries()) kept.id ??= seen[at]!.id;
}

export async function replay(
  model: ReferenceModel,
  system: SystemWith<'quarantine' | 'replay'>,
  kept: Quarantined,
): Promise<void> {
  const actual = await system.replay(kept.id!);
  const { answer, answered } = model.replay(kept);
  const is_new = answered?.answer.id === 0;
  const value = { clearing_id: is_new ? any_value : answered?.answer.id };
  const what = `replay of ${kept.message.network_financial_transaction_id}`;
  agreeAnswers(what, answer.kind === 'done' ? { kind: 'done', value } : answer, actual);
  if (answered !== null && actual.kind === 'done') {
    const { clearing_id } = actual.value;
    if (is_new) model.learnClearing(answered, { ...answered.answer, id: clearing_id });
    kept.clearing_id = clearing_id;
  }
  const card = model.cards.find(({ id }) => id === kept.message.vcn_id);
  if (card !== undefined) await compareCard(model, system, card);
  await compareQuarantine(model, system);
}

function concerned(model: ReferenceModel, messages: readonly AuthorizationWire[]): readonly ReferenceCard[] {
  const numbers = new Set(messages.map((message) => message.card_number));
  return model.cards.filter((card) => numbers.has(card.card_number));
}

export async function compareCard(model: ReferenceModel, system: System, card: ReferenceCard): Promise<void> {
  agreeCard(model, card, await system.readCard(card.id));
}

export function agreeCard(model: ReferenceModel, card: ReferenceCard, seen: Answer<CardView>): void {
  const what = `card ${card.id} as read at ${Temporal.Instant.fromEpochMilliseconds(model.now_ms)}`;
  agreeOnCard(what, { kind: 'done', value: model.view(card) }, seen);
}

/** Agrees on an answer that contains a card, below these names. */
export function agreeOnCard(what: string, expected: Answer<unknown>, actual: Answer<unknown>, below = 'value.'): void {
  expectAnswer(actual, expected);
  const path = findDifference(expected, actual)?.path ?? '';
  const name = path.slice(below.length).split('.')[0]!;
  const about = name in rule_of_value ? (name as ComparedValue) : path.startsWith(below) ? 'controls' : 'refusal';
  agree(what, expected, actual, about);
}

/**
 * Agrees if both succeed with the same value, or if both refuse with the same code and name a field
 * in common.
 */
export function agreeAnswers(
  what: string,
  expected: Answer<unknown>,
  actual: Answer<unknown>,
  about: ComparedValue | null = null,
): void {
  expectAnswer(actual, expected);
  const is_refused = expected.kind === 'refused' && about === null;
  agree(what, expected, actual, is_refused ? 'refusal' : about);
}

/** A message without the number and the code of a card. */
export function masked(message: { readonly card_number?: string; readonly cvc?: string }): string {
  const { card_number, cvc } = message;
  return text({
    ...message,
    ...(card_number === undefined ? {} : { card_number: '(number)' }),
    ...(cvc === undefined ? {} : { cvc: '(code)' }),
  });
}
