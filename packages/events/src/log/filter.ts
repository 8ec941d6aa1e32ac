import { Temporal } from '@tallystick/kernel';

/**
 * A field that `GET /v1/events` can filter by (service specification 4.3; event_type, created_at,
 * merchant_id and decline_reason are additions of this service).
 */
export interface FilterField {
  /** As written in the query: `payload.mcc`, `event_type`. */
  readonly name: string;
  /** The payload key that the filter reads; null for a field of the event itself. */
  readonly payload_key: string | null;
  /**
   * How values are compared: integers by size, text by code point, instants by time. Instants are
   * stored as epoch milliseconds.
   */
  readonly type: 'integer' | 'text' | 'instant';
  /** Whether `[from,to]` is allowed. */
  readonly range: boolean;
}

export const filter_fields = {
  'payload.merchant_amount': { payload_key: 'merchant_amount', type: 'integer', range: true },
  'payload.billing_amount': { payload_key: 'billing_amount', type: 'integer', range: true },
  'payload.transaction_date_time': { payload_key: 'transaction_date_time', type: 'instant', range: true },
  'payload.approval_code': { payload_key: 'approval_code', type: 'text', range: false },
  'payload.net_ref_num': { payload_key: 'net_reference_number', type: 'text', range: true },
  'payload.card_number': { payload_key: 'card_number', type: 'text', range: false },
  'payload.financial_network_code': { payload_key: 'financial_network_code', type: 'text', range: false },
  'payload.mcc_description': { payload_key: 'mcc_description', type: 'text', range: false },
  'payload.mcc': { payload_key: 'mcc', type: 'text', range: false },
  'payload.merchant_name': { payload_key: 'merchant_name', type: 'text', range: false },
  'payload.merchant_id': { payload_key: 'merchant_id', type: 'text', range: false },
  'payload.decline_reason': { payload_key: 'decline_reason', type: 'text', range: false },
  'payload.rcn_alias': { payload_key: 'rcn_alias', type: 'text', range: false },
  'payload.rcn_id': { payload_key: 'rcn_id', type: 'integer', range: false },
  'payload.transaction_type': { payload_key: 'transaction_type', type: 'text', range: false },
  'payload.vcn_id': { payload_key: 'vcn_id', type: 'integer', range: false },
  'payload.id': { payload_key: 'id', type: 'text', range: false },
  'payload.status': { payload_key: 'status', type: 'text', range: false },
  event_type: { payload_key: null, type: 'text', range: false },
  created_at: { payload_key: null, type: 'instant', range: true },
} as const satisfies Readonly<Record<string, Omit<FilterField, 'name'>>>;

export type FilterName = keyof typeof filter_fields;

/** The form of an instant or a date. */
const moment_form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/** The forms of an integer and of an instant. A date is an instant: its whole GMT day. */
export const filter_value_forms = { integer: /^-?\d{1,16}$/, instant: moment_form } as const;

/**
 * The longest text that a filter finds, in UTF-16 code units. Every database can index this length.
 */
export const indexed_text_max = 255;

/**
 * One condition. Several conditions are combined with AND. Values are normalised: integers and
 * instants (epoch milliseconds) are numbers, text is a string.
 */
export type EventFilter =
  | { readonly name: FilterName; readonly kind: 'equals'; readonly value: string | number }
  /** Both ends are inclusive; a missing end is open. */
  | {
      readonly name: FilterName;
      readonly kind: 'range';
      readonly from?: string | number;
      readonly to?: string | number;
    };

/**
 * An interval of time, both ends included, in epoch milliseconds: one instant, or a whole GMT day.
 */
interface Moment {
  readonly from_ms: number;
  readonly to_ms: number;
}

const day_ms = 24 * 60 * 60 * 1000;

/**
 * Reads an ISO 8601 instant or date. A date is its whole GMT day; a time without a zone is GMT;
 * digits finer than a millisecond are cut off. Returns null for anything else, including a day that
 * is not in the calendar.
 */
export function parseMoment(text: string): Moment | null {
  const parts = moment_form.exec(text);
  if (parts === null) return null;
  const [, date, time, zone] = parts;
  const from_ms = toInstantMs(`${date}T${time ?? '00:00'}${zone ?? 'Z'}`);
  if (from_ms === null) return null;
  return { from_ms, to_ms: time === undefined ? from_ms + day_ms - 1 : from_ms };
}

function toInstantMs(text: string): number | null {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return null;
  }
}
