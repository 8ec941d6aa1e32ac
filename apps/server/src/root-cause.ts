/** What went wrong first: libraries wrap what the system said, and several addresses may have been tried. */
export function rootCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error;
}

/** The message of what went wrong first. */
export function rootMessage(error: unknown): string {
  const cause = rootCause(error);
  return cause instanceof Error ? cause.message : String(cause);
}
