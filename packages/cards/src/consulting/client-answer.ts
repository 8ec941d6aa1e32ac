import { isStorable, isWithin, maskCardNumbers, nearestName, showValue } from '@tallystick/kernel';
import { type ClientAnswer, client_answers } from '../records/say.ts';
import type { ClientReply } from './ports.ts';

/** What a company answers, as it is written. */
export interface WrittenAnswer {
  readonly decision: ClientAnswer;
  /** The part that is approved, in minor units of the currency of the card's limits. */
  readonly amount?: number;
  /** Kept with the consultation. */
  readonly note?: string;
}

/** In characters. */
const answer_note_length_max = 500;

const fields = ['decision', 'amount', 'note'];

/** Reads an answer. Another form is `garbage`, with the reason. Whether a part fits is checked later. */
export function readClientAnswer(value: unknown): ClientReply {
  const garbage = (note: string): ClientReply => ({ kind: 'failed', why: 'garbage', note });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return garbage(`the answer must be an object such as {"decision":"approve"}, not ${showValue(value)}`);
  }
  const { decision, amount = null, note = null } = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(value).find((name) => !fields.includes(name));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, fields);
    return garbage(
      `${showValue(unknown)} is not a field of an answer${nearest === null ? '' : `; did you mean ${nearest}?`}`,
    );
  }
  const answer = client_answers.find((one) => one === decision);
  if (answer === undefined) {
    return garbage(`decision must be ${client_answers.join(', ')}, not ${showValue(decision)}`);
  }
  if (note !== null && !(typeof note === 'string' && isWithin(note, answer_note_length_max) && isStorable(note))) {
    return garbage(`note must be text of at most ${answer_note_length_max} characters`);
  }
  const kept_note = typeof note === 'string' ? maskCardNumbers(note) : null;
  if (answer !== 'approve_part') {
    if (amount !== null) return garbage(`amount belongs to approve_part, not to ${answer}`);
    return { kind: 'answered', answer, amount: null, note: kept_note };
  }
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1) {
    return garbage(`amount must be a whole number of at least 1, not ${showValue(amount)}`);
  }
  return { kind: 'answered', answer, amount, note: kept_note };
}
