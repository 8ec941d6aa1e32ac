/**
 * The body of an authorization request, as the network sends it, without the enclosing
 * `{"data": ...}`.
 */
export function authorizationBody(card_number: string, trace_id: string) {
  return {
    card_number,
    message_type_indicator: '0100',
    trace_id,
    system_trace_audit_number: '123456',
    transaction_date_time: '2026-05-20T12:00:00Z',
    billing_amount: 1200,
    billing_currency: 'USD',
    merchant_amount: 1200,
    merchant_currency: 'USD',
    mcc: '5812',
    mcc_description: 'Eating places',
    merchant_id: 'M123',
    merchant_name: 'Merchant 123',
    merchant_city: 'Portland',
    merchant_state_or_country_code: 'OR',
    net_reference_number: 'MCC1234560520',
    acquirer_ica: '1234',
    financial_network_code: 'MCC',
    settlement_date: '0520',
  };
}

/** The complete request as sent on the connection. */
export function authorizationRequest(card_number: string, trace_id: string): string {
  const body = JSON.stringify({ data: authorizationBody(card_number, trace_id) });
  return (
    `POST /network/v1/authorizations HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer tly_test_network_sandbox\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

/** The head of a request of many messages. Its body is sent in chunks. */
export const many_messages_head =
  'POST /network/v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer tly_test_network_sandbox\r\n' +
  'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n';

/** One line of such a request. */
export function authorizationLine(card_number: string, trace_id: string): string {
  return JSON.stringify({ type: 'authorization', data: authorizationBody(card_number, trace_id) });
}
