import type { Payload } from '@tallystick/events';

/**
 * The fields of the payloads of which the log has most, authorizations and clearings. A row states
 * the place of its fields here, so a list never changes, and others are added at the end.
 */
const fields_of_lists: readonly (readonly string[])[] = [
  [
    'id',
    'company_id',
    'vcn_id',
    'rcn_id',
    'rcn_alias',
    'card_number',
    'message_type_indicator',
    'transaction_type',
    'trace_id',
    'system_trace_audit_number',
    'transaction_date_time',
    'billing_amount',
    'billing_currency',
    'merchant_amount',
    'merchant_currency',
    'merchant_id',
    'merchant_name',
    'merchant_city',
    'merchant_state_or_country_code',
    'mcc',
    'mcc_description',
    'net_reference_number',
    'acquirer_ica',
    'advice_reason_code',
    'card_holder_transaction_type_code',
    'financial_network_code',
    'pos_transaction_status',
    'purchase_request_company_guid',
    'purchase_request_issuer_guid',
    'settlement_date',
    'replacement_amounts',
    'status',
    'decline_reason',
    'broken_reason',
    'vcn_response',
    'issuer_response',
    'response_code',
    'approval_code',
    'decision',
  ],
  [
    'id',
    'company_id',
    'vcn_id',
    'rcn_id',
    'rcn_alias',
    'card_number',
    'acquirer_ica',
    'acquirer_reference_data',
    'approval_code',
    'authorization_date',
    'net_reference_number',
    'billing_amount',
    'billing_currency',
    'clearing_type',
    'exchange_rate',
    'network_financial_transaction_id',
    'mcc',
    'mcc_description',
    'merchant_amount',
    'merchant_currency',
    'merchant_id',
    'merchant_name',
    'settlement_date',
    'cycle',
    'partial',
    'authorization_id',
    'clearing_id',
    'match_rule',
    'matched_by',
    'review',
    'class',
  ],
];

/**
 * The payload as its row has it (ADR 0088). One that begins with the fields of a list is a list
 * itself: the place of the fields, their values, and an object with what follows them, if anything
 * does. That takes half the bytes. Any other is stored as it is.
 */
export function storedPayload(payload: Payload): unknown {
  for (let place = 0; place < fields_of_lists.length; place += 1) {
    const list = asList(payload, place);
    if (list !== null) return list;
  }
  return payload;
}

function asList(payload: Payload, place: number): unknown[] | null {
  const fields = fields_of_lists[place]!;
  const list: unknown[] = [place];
  let rest: Record<string, unknown> | null = null;
  // Twice as fast as a list of the names.
  for (const name in payload) {
    const value = payload[name];
    if (list.length <= fields.length) {
      if (name !== fields[list.length - 1] || value === undefined) return null;
      list.push(value);
    } else {
      rest ??= Object.create(null) as Record<string, unknown>;
      rest[name] = value;
    }
  }
  if (list.length <= fields.length) return null;
  return rest === null ? list : [...list, rest];
}

/** The payload of a row of `tallystick_events`, with its fields in their order. */
export function payloadOf(text: string): Payload {
  const stored = JSON.parse(text) as Payload | [place: number, ...values: unknown[]];
  if (!Array.isArray(stored)) return stored;
  const [place, ...values] = stored;
  const fields = fields_of_lists[place]!;
  const rest = values[fields.length] ?? {};
  // `Object.assign` would lose a field `__proto__`.
  return Object.fromEntries([...fields.map((name, at) => [name, values[at]] as const), ...Object.entries(rest)]);
}
