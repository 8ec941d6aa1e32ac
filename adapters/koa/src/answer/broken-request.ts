import type { Duplex } from 'node:stream';
import { readRequestId } from '../request/request-id.ts';
import type { ErrorBody } from './error-answer.ts';

interface BrokenRequestAnswer {
  readonly status: string;
  readonly code: string;
  readonly error: string;
}

const malformed: BrokenRequestAnswer = {
  status: '400 Bad Request',
  code: 'malformed_request',
  error: 'this is not a well-formed HTTP/1.1 request',
};

const answer_by_code: Readonly<Record<string, BrokenRequestAnswer>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'headers_too_large',
    error: 'the request line and headers are larger than this service accepts',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    error: 'the request was not complete in time',
  },
};

/**
 * Answers bytes that are not a valid request with the usual error body, and closes the connection.
 * For the `clientError` event of the HTTP server, which by default answers without a body.
 */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || hasBegunToAnswer(socket)) {
    socket.destroy();
    return;
  }
  const { status, code, error: sentence } = answer_by_code[error.code ?? ''] ?? malformed;
  const request_id = readRequestId(undefined);
  const body = JSON.stringify({ error: sentence, code, request_id } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Whether an answer is being sent on this connection. The client would read a second answer as a
 * part of the first.
 */
function hasBegunToAnswer(socket: Duplex): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent === true;
}
