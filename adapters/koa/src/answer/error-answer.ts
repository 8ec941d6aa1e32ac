import type { RefusalCode } from '@tallystick/kernel';
import { Fault, type FieldError, maskCardNumbers, Refusal } from '@tallystick/kernel';
import { Busy } from '@tallystick/operations';
import type { Answer } from './answer.ts';

/** Seconds after which a client may try again after a fault of the service. */
export const retry_after_s = 1;

/** An expected error of the HTTP conventions, like a `Refusal` of the domain. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly code: HttpProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: readonly FieldError[];

  constructor(
    code: HttpProblemCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    fields: readonly FieldError[] = [],
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.fields = fields;
  }
}

/**
 * The error body of the client API. `error` is a sentence. `fields` is present only when a field is
 * invalid.
 */
export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly fields?: readonly FieldError[];
  readonly request_id: string;
}

/**
 * Whether the error is an expected result of a request. Any other error is a failure of the service
 * and is logged.
 */
export function isExpected(error: unknown): error is Refusal | HttpProblem | Busy {
  return error instanceof Refusal || error instanceof HttpProblem || error instanceof Busy;
}

/**
 * Returns the answer for an error. For an unexpected error it contains the request id and no
 * detail.
 */
export function errorAnswer(error: unknown, request_id: string): Answer {
  if (error instanceof Refusal) {
    const headers = error.code === 'unauthenticated' ? { 'WWW-Authenticate': 'Bearer' } : {};
    return answerOf(refusal_status[error.code], error.code, error.message, request_id, error.fields, headers);
  }
  if (error instanceof HttpProblem) {
    const status = http_problem_status[error.code];
    return answerOf(status, error.code, error.message, request_id, error.fields, error.headers);
  }
  if (error instanceof Busy) {
    const code = error.of === 'all' ? 'unavailable' : 'rate_limited';
    const headers = { 'Retry-After': String(error.retry_after_s) };
    return answerOf(http_problem_status[code], code, error.message, request_id, [], headers);
  }
  if (error instanceof Fault && error.retryable) {
    const headers = { 'Retry-After': String(retry_after_s) };
    return answerOf(503, 'unavailable', 'the service cannot do this now; try again', request_id, [], headers);
  }
  return answerOf(500, 'internal_error', 'something went wrong on our side', request_id, [], {});
}

/** The answer to a request that is refused because of load. */
export function overloadAnswer(request_id: string): Answer {
  const headers = { 'Retry-After': String(retry_after_s) };
  return answerOf(503, 'unavailable', 'the service is overloaded; try again', request_id, [], headers);
}

function answerOf(
  status: number,
  code: string,
  message: string,
  request_id: string,
  fields: readonly FieldError[],
  headers: Readonly<Record<string, string>>,
): Answer {
  const error = maskCardNumbers(message);
  const body: ErrorBody =
    fields.length === 0
      ? { error, code, request_id }
      : {
          error,
          code,
          fields: fields.map(({ path, message }) => ({
            path: maskCardNumbers(path),
            message: maskCardNumbers(message),
          })),
          request_id,
        };
  return { status, body, headers };
}

/** The status of every refusal of the domain. A code without a status does not compile. */
export const refusal_status: Readonly<Record<RefusalCode, number>> = {
  validation_failed: 400,
  invalid_query: 400,
  not_found: 404,
  unauthenticated: 401,
  forbidden: 403,
  conflict: 409,
  account_range_used_up: 409,
  idempotency_in_progress: 409,
  idempotency_mismatch: 422,
};

/** The errors that only HTTP has, with their status. */
export const http_problem_status = {
  malformed_json: 400,
  malformed_request: 400,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const;

export type HttpProblemCode = keyof typeof http_problem_status;
