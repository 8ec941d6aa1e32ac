import { Temporal } from 'temporal-polyfill';
import { Disagreement, findDifference, text } from '../agreement.ts';
import { type Case, type Rule, rule_of_case, rule_of_value } from '../reference/cases.ts';
import type { Answer, CardView } from '../system.ts';
import type { RecordedCall } from './recording.ts';
import type { FailedSequence } from './reproduction.ts';

/** What was found wrong: a difference, or an error of the system. */
export function problemOf(error: unknown, latest: Iterable<Case>): string {
  if (!(error instanceof Disagreement)) {
    return `the system failed\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const rules: readonly Rule[] = [
    ...(error.about === null ? [] : [rule_of_value[error.about]]),
    ...[...latest].map((reached) => rule_of_case[reached]),
  ];
  const said = rules.map(({ says, clause }) => `  ${says} (${clause})`);
  return [
    'the system and the reference model differ',
    error.message,
    ...(said.length === 0 ? [] : ['the rules that the model applied:', ...said]),
  ].join('\n');
}

/** Every message with its answer, numbered, and the card after it. */
export function listingOf({ world, seed, calls }: FailedSequence): string {
  const numbers = new Map<string, string>();
  const lines = calls.flatMap((call, at) => {
    learnNumber(call, numbers);
    const number = String(at + 1).padStart(4);
    if (call.name === 'readCard') return [`${number}  ${cardOf(call)}`];
    const args = call.args.map((arg) => argumentOf(call, arg, numbers)).join(' ');
    return [`${number}  ${call.name} ${args}`.trimEnd(), ...answerOf(call).map((line) => `        ${line}`)];
  });
  return [
    `the sequence began at ${instant(world.now_ms)}, and the system was opened with the seed ${seed}:`,
    ...lines,
  ].join('\n');
}

function instant(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toString();
}

function argumentOf({ name }: RecordedCall, arg: unknown, numbers: ReadonlyMap<string, string>): string {
  return name === 'advanceClock' ? `to ${instant(arg as number)}` : text(maskedIn(arg, numbers));
}

function answerOf({ answer, error, expected }: RecordedCall): readonly string[] {
  if (answer === undefined) return error === undefined ? [] : [`was not answered: ${error}`];
  const said = `answer  ${shown(answer)}`;
  const is_right = expected === undefined || findDifference(expected, answer) === null;
  return is_right ? [said] : [said, `model   ${shown(expected)}`];
}

/** A card of which only the balance, the uses and the authorizations are shown. */
function cardOf({ args, answer, expected }: RecordedCall): string {
  const [id] = args;
  const seen = answer as Answer<CardView> | undefined;
  if (seen?.kind !== 'done') return `card ${id}: ${seen === undefined ? 'no answer' : shown(seen)}`;
  const right = expected as Answer<CardView> | undefined;
  const is_right = right?.kind !== 'done' || findDifference(right, seen) === null;
  return `card ${id}: ${balanceOf(seen.value)}${is_right ? '' : `\n      model:  ${balanceOf(right.value)}`}`;
}

function balanceOf({ status, available_balance, uses, authorizations, clearings }: CardView): string {
  const listed = authorizations?.map((one) => `${one.id} ${one.status}`).join(', ');
  const cleared = (clearings ?? []).map((one) => `${one.id} ${one.class} by rule ${one.match_rule}`).join(', ');
  return [
    `${status}, available balance ${available_balance}`,
    ...(uses === null ? [] : [`uses ${uses}`]),
    ...(listed === undefined ? [] : [`authorizations: ${listed || 'none'}`]),
    ...(cleared === '' ? [] : [`clearings: ${cleared}`]),
  ].join(', ');
}

/** An answer; of a card only what changes, and never its number or code. */
function shown(answer: unknown): string {
  const { kind, value, code, fields } = answer as Partial<Record<string, unknown>>;
  if (kind === 'refused') return `refused as ${code}, fields ${text(fields)}`;
  if (kind !== 'done') return text(answer);
  const card = cardIn(value);
  return card === null ? text(value) : `card ${card.id}: ${balanceOf(card)}`;
}

function cardIn(value: unknown): CardView | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('card' in value) return value.card as CardView;
  return 'available_balance' in value ? (value as CardView) : null;
}

function learnNumber({ name, answer }: RecordedCall, numbers: Map<string, string>): void {
  const created = answer as Answer<{ card: { id: number }; card_number: string; cvc: string }> | undefined;
  if (name !== 'createCard' || created?.kind !== 'done') return;
  const { card, card_number, cvc } = created.value;
  numbers.set(card_number, `(number of card ${card.id})`);
  numbers.set(`${card_number} ${cvc}`, `(code of card ${card.id})`);
}

function maskedIn(message: unknown, numbers: ReadonlyMap<string, string>): unknown {
  if (typeof message !== 'object' || message === null || !('card_number' in message)) return message;
  const { card_number, cvc } = message as { readonly card_number: string; readonly cvc?: string };
  return {
    ...message,
    card_number: numbers.get(card_number) ?? '(unknown number)',
    ...(cvc === undefined ? {} : { cvc: numbers.get(`${card_number} ${cvc}`) ?? '(wrong code)' }),
  };
}
