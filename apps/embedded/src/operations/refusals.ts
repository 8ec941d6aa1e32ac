import { Fault, Refusal, type RefusalCode } from '@tallystick/kernel';

export type { FieldError, RefusalCode } from '@tallystick/kernel';
export { Fault, Refusal };

/**
 * Every code of a refusal with its meaning. The codes of keys and of idempotency keys come from the
 * HTTP interface only.
 */
export const refusal_codes = {
  validation_failed: 'A value of the call is wrong. `fields` names each.',
  invalid_query: 'A filter or page option is unknown or malformed. `fields` names each.',
  not_found: 'There is no such object, or it belongs to another company.',
  unauthenticated: 'No API key, an unknown, revoked or ended key, or a wrong signature. HTTP only.',
  forbidden: 'The caller may not do this: the company is closed, or over HTTP the role of the key does not allow it.',
  conflict: 'The present state does not allow it. The message says which state it is.',
  account_range_used_up: "Every number of the real card's account range belongs to a card.",
  idempotency_in_progress: 'The same Idempotency-Key is being worked on now. HTTP only.',
  idempotency_mismatch: 'The Idempotency-Key was used with another body. HTTP only.',
} as const satisfies Readonly<Record<RefusalCode, string>>;

/** A refusal with one of these codes. */
export interface RefusalOf<Code extends RefusalCode> extends Refusal {
  readonly code: Code;
}

/**
 * Whether the error is a refusal, of this code if one is given. It looks at name and code, so that
 * a refusal of another copy of the library is also one.
 */
export function isRefusal<Code extends RefusalCode = RefusalCode>(
  error: unknown,
  code?: Code,
): error is RefusalOf<Code> {
  if (!(error instanceof Error) || error.name !== 'Refusal' || !('code' in error)) return false;
  return code === undefined ? Object.hasOwn(refusal_codes, String(error.code)) : error.code === code;
}

/**
 * Whether the error is a fault: the database failed, or there is too much of the same work. If it
 * is `retryable`, the same call may succeed later. Like `isRefusal`, it looks at the name.
 */
export function isFault(error: unknown): error is Fault {
  return error instanceof Error && error.name === 'Fault' && 'retryable' in error;
}
