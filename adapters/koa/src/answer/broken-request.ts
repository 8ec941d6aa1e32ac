import { STATUS_CODES } from 'node:http';
import { type ErrorBody, type HttpProblemCode, http_problem_status } from './error-answer.ts';
import { strict_transport_security } from './send.ts';

interface BrokenRequest {
  readonly status: (typeof http_problem_status)[HttpProblemCode];
  readonly code: HttpProblemCode;
  readonly error: string;
}

function broken(code: HttpProblemCode, error: string): BrokenRequest {
  return { status: http_problem_status[code], code, error };
}

const malformed = broken('malformed_request', 'this is not a well-formed HTTP/1.1 request');

/** CONNECT asks for a tunnel. */
export const tunnel_request = broken('method_not_allowed', 'this service is not a proxy');

/** The client closed its side within a request, for example within an upload. */
export const cut_off_request = broken('malformed_request', 'the request ended before it was complete');

const by_error_code: Readonly<Record<string, BrokenRequest>> = {
  HPE_INVALID_EOF_STATE: cut_off_request,
  HPE_HEADER_OVERFLOW: broken('headers_too_large', 'the request line and headers are larger than this service accepts'),
  ERR_HTTP_REQUEST_TIMEOUT: broken('request_timeout', 'the request was not complete in time'),
};

/** Returns what is wrong with bytes that the HTTP parser refuses, by the code of its error. */
export function describeBrokenRequest(error_code: string | undefined): BrokenRequest {
  return by_error_code[error_code ?? ''] ?? malformed;
}

/**
 * Returns the whole answer to bytes that are not a request, with the usual error body. The
 * connection is closed after it.
 */
export function writeBrokenAnswer(
  { status, code, error }: BrokenRequest,
  request_id: string,
  { is_https = false } = {},
): string {
  const body = JSON.stringify({ error, code, request_id } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    'Cache-Control: no-store',
    ...(is_https ? [`Strict-Transport-Security: ${strict_transport_security}`] : []),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
