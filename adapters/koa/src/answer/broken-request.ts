import type { ErrorBody } from './error-answer.ts';
import { strict_transport_security } from './send.ts';

interface BrokenRequest {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

const malformed: BrokenRequest = {
  status: 400,
  code: 'malformed_request',
  error: 'this is not a well-formed HTTP/1.1 request',
};

/** CONNECT asks for a tunnel. */
export const tunnel_request: BrokenRequest = {
  status: 405,
  code: 'method_not_allowed',
  error: 'this service is not a proxy',
};

/** The client closed its side within a request, for example within an upload. */
export const cut_off_request: BrokenRequest = {
  status: 400,
  code: 'malformed_request',
  error: 'the request ended before it was complete',
};

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

const by_error_code: Readonly<Record<string, BrokenRequest>> = {
  HPE_INVALID_EOF_STATE: cut_off_request,
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    error: 'the request line and headers are larger than this service accepts',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    error: 'the request was not complete in time',
  },
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
    `HTTP/1.1 ${status} ${reasons[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    'Cache-Control: no-store',
    ...(is_https ? [`Strict-Transport-Security: ${strict_transport_security}`] : []),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
