import { isStorable } from '@tallystick/kernel';
import type { NewEvent } from './event.ts';
import { type EventFilter, type FilterName, indexed_text_max } from './filter.ts';
import { parseMoment } from './moment.ts';

/** What filters look at. */
export type FilterableEvent = Pick<NewEvent, 'event_type' | 'payload' | 'created_at_ms'>;

/** What an event answers to each filter with: a normalised value, or null where it has none and so meets no filter. */
export type IndexedValues = Readonly<Record<FilterName, string | number | null>>;

/**
 * The value of an event for each filter. Integers are safe integers; instants are epoch milliseconds; text is the
 * string or the integer in decimal. A value of another kind, an empty text and one of more than `indexed_text_max`
 * characters count as none.
 *
 * Written out, though `filter_fields` says the same: every event of a pass goes through here, and a loop over the table takes
 * twice as long. A test holds the two together.
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

/** Whether the event meets the filter: the plain meaning, which every index must agree with. */
export function matches(event: FilterableEvent, filter: EventFilter): boolean {
  const value = indexedValuesOf(event)[filter.name];
  if (value === null) return false;
  if (filter.kind === 'equals') return value === filter.value;
  return (
    (filter.from === undefined || compareValues(value, filter.from) >= 0) &&
    (filter.to === undefined || compareValues(value, filter.to) <= 0)
  );
}

/** Below, at or above 0 as `a` comes before, with or after `b`: numbers by size, text by code point, which is the order of UTF-8. */
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

/** UTF-16 has its surrogates in the middle, though the characters they make come last. */
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
