/**
 * Every expected error of the domain, by code. The HTTP adapter maps each to a status in one table.
 */
export type RefusalCode =
  /** A value in the request is wrong; `fields` names it. */
  | 'validation_failed'
  /** A filter or page parameter is unknown or malformed; `fields` names it. */
  | 'invalid_query'
  /** No such object, or another company's. */
  | 'not_found'
  /** No key, an unknown, revoked or ended key, or a wrong signature. */
  | 'unauthenticated'
  /** The key's role may not do this. */
  | 'forbidden'
  /** The present state does not allow it; the message says which state it is. */
  | 'conflict'
  /** Every number of the real card's account range belongs to a card. */
  | 'account_range_used_up'
  /** The same Idempotency-Key is being worked on now. */
  | 'idempotency_in_progress'
  /** The Idempotency-Key was used with another body. */
  | 'idempotency_mismatch';

/**
 * One invalid value. `path` is its place within the resource (`total_card_amount`), or the name of
 * a filter (`mcc`).
 */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** An expected error: the rules do not allow the request. Contains no secret. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly fields: readonly FieldError[];

  constructor(code: RefusalCode, message: string, fields: readonly FieldError[] = []) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

/**
 * A `validation_failed` refusal. Its message names the first invalid field and the number of
 * further ones.
 */
export function invalid(...fields: readonly [FieldError, ...FieldError[]]): Refusal {
  const [{ path, message }, ...others] = fields;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return new Refusal('validation_failed', `${path} ${message}${more}`, fields);
}

/** An `invalid_query` refusal. Its sentence names every invalid query parameter. */
export function invalidQuery(...parameters: readonly FieldError[]): Refusal {
  const sentence = parameters.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new Refusal('invalid_query', sentence, parameters);
}

/**
 * An infrastructure failure (database unavailable, disk full). `retryable` if the same call may
 * succeed later.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly retryable: boolean;

  constructor(message: string, options: { readonly retryable: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
  }
}

/** A bug of ours: an invariant did not hold. Never shown to a caller. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Violation(message);
}

/**
 * The first error of a chain. Libraries wrap the errors of the system, and several addresses may
 * have been tried.
 */
export function findRootCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return findRootCause(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? findRootCause(error.cause) : error;
}

/** The message of the first error of a chain. */
export function rootMessageOf(error: unknown): string {
  const cause = findRootCause(error);
  return cause instanceof Error ? cause.message : String(cause);
}
