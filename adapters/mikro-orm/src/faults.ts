import { Fault, Refusal, Violation } from '@tallystick/kernel';

/** What the caller of a transaction is told of an error in it: ours as they are, the database's as a `Fault`. */
export function faultOf(error: unknown): Error {
  if (error instanceof Refusal || error instanceof Violation || error instanceof Fault) return error;
  const code = codeOf(error);
  if (code === null) return error instanceof Error ? error : new Violation(`not an error was thrown: ${typeof error}`);
  return new Fault(`the database failed (${code})`, { retryable: isTransient(code), cause: error });
}

/** Whether the transaction lost against another and would succeed when run again at once. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01' || (code?.startsWith('SQLITE_BUSY') ?? false);
}

/** The database's or the system's code of an error, `SQLITE_FULL`, `23505`, `ECONNREFUSED`; null for errors that come from neither. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // What the Postgres client says of a connection that broke carries no code.
  return /connection|timeout/i.test(error.message) ? 'connection' : null;
}

/** SQLite: locked, full, cannot be read or written. Postgres: connections (08), conflicts (40), resources (53), locks (55), stopping (57). */
function isTransient(code: string): boolean {
  if (code.startsWith('SQLITE_')) return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|INTERRUPT|NOMEM)/.test(code);
  return code === 'connection' || /^(08|40|53|55|57)...$/.test(code) || /^E[A-Z]+$/.test(code);
}
