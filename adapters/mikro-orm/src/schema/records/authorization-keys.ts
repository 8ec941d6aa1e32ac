import { type Authorization, type CandidateKey, isEndingHold, partsOfKey, referenceKeys } from '@tallystick/cards';

/**
 * The keys of `authorization_keys`. A key is a letter for its kind, and a value. Keys sort and
 * compare by bytes.
 *
 * | Kind | Value | Of |
 * |---|---|---|
 * | `m` | trace id, message type, system trace audit number, time | every message; unique within the card |
 * | `p` | id | every message until it is reduced |
 * | `r` | id | every reduced message |
 * | `a`, `n` | approval code or network reference, id | roots that have one |
 * | `h` | end of the hold, id | an open authorization that holds an amount until then |
 *
 * A text in a key ends with `|`. Within the text `|` and `\` are escaped, so that no text is the
 * beginning of another. Numbers are hexadecimal; those that sort begin with the number of their
 * digits.
 */

/** Keys from `low` up to but not including `high`. */
export interface KeyRange {
  readonly low: string;
  readonly high: string;
}

/** The fields of an authorization that its keys are made of. */
export type Keyed = Pick<
  Authorization,
  | 'id'
  | 'root_id'
  | 'message_type'
  | 'trace_id'
  | 'system_trace_audit_number'
  | 'transaction_date_time_ms'
  | 'approval_code'
  | 'net_reference_number'
> &
  Hold;

/** The fields of an authorization that the key of its hold is made of. */
export interface Hold extends Pick<Authorization, 'id' | 'status' | 'hold_end_ms'> {
  readonly held: number;
}

export function keysOf(authorization: Keyed): string[] {
  const { id, root_id, message_type, trace_id, system_trace_audit_number, transaction_date_time_ms } = authorization;
  const audit_number = escapeText(system_trace_audit_number);
  const keys = [
    `m${escapeText(trace_id)}${message_type}${audit_number}${transaction_date_time_ms.toString(16)}`,
    pageKey(id),
  ];
  if (root_id === id) {
    for (const key of referenceKeys(authorization)) keys.push(`${referenceRange(key)!.low}${sortableNumber(id)}`);
  }
  const hold = holdKey(authorization);
  if (hold !== null) keys.push(hold);
  return keys;
}

/** The key of the end of an open hold; null when nothing is held, or without an end. */
export function holdKey(hold: Hold): string | null {
  return isEndingHold(hold) ? `h${sortableNumber(hold.hold_end_ms)}${sortableNumber(hold.id)}` : null;
}

export function traceRange(trace_id: string): KeyRange {
  return rangeOf(`m${escapeText(trace_id)}`);
}

/** The roots with this key; null for a kind that roots do not have. */
export function referenceRange(key: CandidateKey): KeyRange | null {
  const { kind, value } = partsOfKey(key);
  const letter = { acquirer_reference_data: null, approval_code: 'a', network_reference: 'n' }[kind];
  return letter === null ? null : rangeOf(`${letter}${escapeText(value)}`);
}

/** The messages of a card that are not reduced, in the order of their ids. */
export const page_range: KeyRange = { low: 'p', high: 'q' };

/** The reduced messages of a card, in the order of their ids. They have no place on its pages. */
export const reduced_range: KeyRange = { low: 'r', high: 's' };

/** The place of a message among those of its card. */
export function pageKey(id: number): string {
  return `p${sortableNumber(id)}`;
}

/** The place of a reduced message among those of its card. */
export function reducedKey(id: number): string {
  return `r${sortableNumber(id)}`;
}

/** All holds of a card, in the order of their ends. */
export const hold_range: KeyRange = { low: 'h', high: 'i' };

/** The first key of holds that end after this instant. */
export function firstHoldAfter(now_ms: number): string {
  return `h${sortableNumber(now_ms + 1)}`;
}

/** The keys that begin with a text that ends with its separator. `}` is the character after `|`. */
function rangeOf(prefix: string): KeyRange {
  return { low: prefix, high: `${prefix.slice(0, -1)}}` };
}

function escapeText(text: string): string {
  const escaped = /[\\|]/.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('|', '\\p') : text;
  return `${escaped}|`;
}

/** A number from 0 as a text in the order of numbers. */
function sortableNumber(value: number): string {
  const digits = value.toString(16);
  return `${digits.length.toString(16)}${digits}`;
}
