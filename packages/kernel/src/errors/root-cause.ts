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
