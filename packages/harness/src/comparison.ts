import { Temporal } from 'temporal-polyfill';
import { agree, Disagreement, text } from './agreement.ts';
import { kindOf } from './reference/authorization.ts';
import type { ReferenceCard } from './reference/card.ts';
import type { Quarantined, ReferenceModel } from './reference/model.ts';
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
  const byCard = (events: readonly EventView[]) => events.toSorted((a, b) => (a.vcn_id ?? 0) - (b.vcn_id ?? 0));
  agree('the events of each card', byCard(model.events), byCard(seen));
  const times = seen.map(({ created_at_ms }) => created_at_ms);
  agree(
    'the times of the event log',
    times.toSorted((a, b) => a - b),
    times,
  );
}

export async function create(model: ReferenceModel, system: System, request: CardRequest): Promise<void> {
  const actual = await system.createCard(request);
  agreeAnswers(`creation of a card with ${text(request)}`, model.wouldCreate(request), actual, () => undefined);
  if (actual.kind === 'refused') return;
  const { card, card_number, cvc } = actual.value;
  agreeCards('the created card', model.createCard(request, { id: card.id, card_number, cvc }), card);
}

/** Submits the messages together to the system, and one after another to the model. */
export async function send(
  model: ReferenceModel,
  system: System,
  messages: readonly AuthorizationWire[],
): Promise<void> {
  const answers = await Promise.all(messages.map((message) => system.authorize(message)));
  for (const [at, message] of messages.entries()) explainAuthorization(model, message, answers[at]!);
  for (const card of concerned(model, messages)) await compareCard(model, system, card);
}

/** Decides the message on the model, and compares the answers. The model learns what is new. */
export function explainAuthorization(
  model: ReferenceModel,
  message: AuthorizationWire,
  actual: Answer<AuthorizationView>,
): void {
  const { answer: expected, answered } = model.authorize(message);
  const what = `authorization message ${text({ ...message, card_number: '(number)', cvc: message.cvc && '(cvc)' })}`;
  const is_first = answered !== null && answered.answer.id === null;
  agreeAnswers(what, expected, actual, (_what, right, seen) => {
    if (is_first) {
      agreeOnCode(what, message, right.issuer_response === 'Approved', seen.approval_code);
      model.learnAuthorization(answered, seen);
      agree(what, { ...right, id: seen.id, approval_code: seen.approval_code }, seen);
    } else agree(what, right, seen);
  });
}

/**
 * An approved message has six characters, a declined message none. A reversal repeats the code of
 * its original, if there is one.
 */
function agreeOnCode(what: string, message: AuthorizationWire, approved: boolean, code: string | null): void {
  if (approved && kindOf(message) === 'reversal') return;
  agree(`${what}: whether it has an approval code of six characters`, approved, code !== null && code.length === 6);
}

/** Records the clearing on the model, and compares the answers. The model learns a new id. */
export function explainClearing(model: ReferenceModel, message: ClearingWire, actual: Answer<ClearingView>): void {
  const { answer: expected, answered } = model.clear(message);
  const what = `clearing ${text({ ...message, ...(message.card_number === undefined ? {} : { card_number: '(number)' }) })}`;
  agreeAnswers(what, expected, actual, (_what, right, seen) => {
    const is_first = answered !== null && right.id === 0;
    agree(what, is_first ? { ...right, id: seen.id } : right, seen);
    if (is_first) model.learnClearing(answered, seen);
  });
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

/** Compares what was refused of clearings and kept, and lets the model learn the ids. */
export async function compareQuarantine(model: ReferenceModel, system: System): Promise<void> {
  if (system.quarantine !== undefined) agreeQuarantine(model, await system.quarantine());
}

export function agreeQuarantine(model: ReferenceModel, seen: readonly QuarantineView[]): void {
  for (const [at, kept] of model.quarantine.entries()) kept.id ??= seen[at]?.id ?? null;
  const expected = model.quarantine.map(({ message, ...kept }) => {
    return { ...kept, network_financial_transaction_id: message.network_financial_transaction_id };
  });
  agree('the quarantine', expected, seen);
}

export async function replay(
  model: ReferenceModel,
  system: SystemWith<'quarantine' | 'replay'>,
  kept: Quarantined,
): Promise<void> {
  const actual = await system.replay(kept.id!);
  const { answer: expected, answered } = model.replay(kept);
  const what = `replay of ${kept.message.network_financial_transaction_id}`;
  agreeAnswers(what, expected, actual, (_what, _right, { clearing_id }) => {
    if (answered === null) return;
    if (answered.answer.id === 0) model.learnClearing(answered, { ...answered.answer, id: clearing_id });
    agree(`${what}: its clearing`, answered.answer.id, clearing_id);
    kept.clearing_id = clearing_id;
  });
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
  agreeAnswers(what, { kind: 'done', value: model.view(card) }, seen, agreeCards);
}

/** The fields that a system may not report. */
const unreported: ReadonlySet<string> = new Set(['uses', 'authorizations', 'clearings'] satisfies (keyof CardView)[]);

/**
 * Compares field by field, so that the error names the difference. Fields that a system does not
 * report are not compared.
 */
export function agreeCards(what: string, expected: CardView, actual: CardView): void {
  for (const [name, right] of Object.entries(expected)) {
    const seen = (actual as unknown as Readonly<Record<string, unknown>>)[name];
    if (unreported.has(name) && seen === null) continue;
    agree(`${what}: ${name}`, Array.isArray(right) ? right.slice(0, 100) : right, seen);
  }
}

/**
 * Agree if both succeed and `compare` finds no difference, or if both refuse with the same code and
 * name a field in common. If a request is wrong in two ways, either refusal is right.
 */
export function agreeAnswers<Expected, Actual>(
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
