import { isStorable } from '@tallystick/kernel';
import type { NewEvent } from './event-log.ts';
import { type EventFilter, type FilterName, indexed_text_max, parseMoment } from './filter.ts';

/** The parts of an event that filters read. */
type FilterableEvent = Pick<NewEvent, 'event_type' | 'payload' | 'created_at_ms'>;

/**
 * The value of an event for each filter: a normalised value, or null where the event has none and
 * so meets no filter.
 */
export type IndexedValues = Readonly<Record<FilterName, string | number | null>>;

/**
 * Returns the value of an event for each filter. Integers are safe integers; instants are epoch
 * milliseconds; text is the string, or the integer in decimal. A value of another kind, an empty
 * text and a text of more than `indexed_text_max` characters count as none.
 *
 * The fields are written out, although `filter_fields` states the same: every event of a pass is
 * indexed here, and a loop over the table takes twice as long. A test checks that the two agree.
 */
export function indexedValuesOf({ event_type, payload, created_at_ms }: FilterableEvent): IndexedValues {
  return {
    'payload.merchant_amount': toInteger(payload.merchant_amount),
    'payload.billing_amount': toInteger(payload.billing_amount),
    'payload.transaction_date_time': toInstant(payload.transaction_date_time),
    'payload.approval_code': toText(payload.approval_code),
    'payload.net_ref_num': toText(payload.net_reference_number),
    'payload.card_number': toText(payload.card_number),
    'payload.financial_network_code': toText(payload.financial_network_code),
    'payload.mcc_description': toText(payload.mcc_description),
    'payload.mcc': toText(payload.mcc),
    'payload.merchant_name': toText(payload.merchant_name),
    'payload.merchant_id': toText(payload.merchant_id),
    'payload.decline_reason': toText(payload.decline_reason),
    'payload.rcn_alias': toText(payload.rcn_alias),
    'payload.rcn_id': toInteger(payload.rcn_id),
    'payload.transaction_type': toText(payload.transaction_type),
    'payload.vcn_id': toInteger(payload.vcn_id),
    'payload.id': toText(payload.id),
    'payload.status': toText(payload.status),
    event_type,
    created_at: created_at_ms,
  };
}

/**
 * Returns whether the event meets the filter. This is the reference meaning, and every index must
 * agree with it.
 */
export function matches(event: FilterableEvent, filter: EventFilter): boolean {
  const value = indexedValuesOf(event)[filter.name];
  if (value === null) return false;
  if (filter.kind === 'equals') return value === filter.value;
  return (
    (filter.from === undefined || compareValues(value, filter.from) >= 0) &&
    (filter.to === undefined || compareValues(value, filter.to) <= 0)
  );
}

/**
 * Returns a number below, equal to or above 0 when `a` sorts before, with or after `b`. Numbers
 * sort by size, and text sorts by code point, which is the order of UTF-8.
 */
export function compareValues(a: string | number, b: string | number): number {
  return typeof a === 'number' || typeof b === 'number' ? Number(a) - Number(b) : compareText(a, b);
}

function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const difference = rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * UTF-16 places surrogates in the middle of its code units, but the characters that they form sort
 * last.
 */
function rankOf(code_unit: number): number {
  if (code_unit < 0xd800) return code_unit;
  return code_unit < 0xe000 ? code_unit + 0x2000 : code_unit - 0x800;
}

function toInteger(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

function toInstant(value: unknown): number | null {
  return typeof value === 'string' ? (parseMoment(value)?.from_ms ?? null) : null;
}

function toText(value: unknown): string | null {
  if (typeof value === 'string') {
    return value !== '' && value.length <= indexed_text_max && isStorable(value) ? value : null;
  }
  return Number.isSafeInteger(value) ? String(value) : null;
}
