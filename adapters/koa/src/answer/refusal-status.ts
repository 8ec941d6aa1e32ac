import type { RefusalCode } from '@tallystick/kernel';

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
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export type HttpProblemCode = keyof typeof http_problem_status;
