import { Fault, Refusal, Violation } from '@tallystick/kernel';

/**
 * The error for the caller of a transaction: domain errors unchanged, errors of the database as a
 * `Fault`.
 */
export function faultOf(error: unknown): Error {
  if (error instanceof Refusal || error instanceof Violation || error instanceof Fault) return error;
  if (Error.isError(error) && of_closed.has(error.message)) return closed(error);
  const code = codeOf(error);
  if (code === null) return Error.isError(error) ? error : new Violation(`not an error was thrown: ${typeof error}`);
  const what = causes.find(([codes]) => codes.test(code))?.[1];
  const words = what === undefined ? '' : `: ${what}`;
  return new Fault(`the database failed${words} (${code})`, { retryable: isTransient(code), cause: error });
}

/** The fault of work that has not begun when the database is closed. */
export function closed(cause?: unknown): Fault {
  return new Fault('the database is closed', { retryable: false, cause });
}

/** What Kysely, the pool of Postgres and better-sqlite3 say of it, word for word. */
const of_closed: ReadonlySet<string> = new Set([
  'driver has already been destroyed',
  'Cannot use a pool after calling end on the pool',
  'The database connection is not open',
]);

/** What Node and OpenSSL call a certificate of the server that the client does not trust. */
const of_certificate =
  /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_[A-Z_]+|UNABLE_TO_(GET|VERIFY)_[A-Z_]+|(DEPTH_ZERO_)?SELF_SIGNED_CERT[A-Z_]*|INVALID_CA|HOSTNAME_MISMATCH)$/;

/** In the words of an operator, what a code means. The first match counts. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^(SQLITE_FULL|SQLITE_IOERR_(WRITE|SHMSIZE)|53100|ENOSPC|EDQUOT)$/, 'its disk is full'],
  [/^(SQLITE_NOMEM|SQLITE_IOERR_NOMEM|53200|ENOMEM)$/, 'it is out of memory'],
  [/^(53300|EMFILE|ENFILE)$/, 'too many connections'],
  [/^(SQLITE_READONLY.*|25006|EROFS)$/, 'it only reads, as a standby does'],
  [/^(SQLITE_IOERR.*|58030|EIO)$/, 'its disk failed'],
  [/^(SQLITE_CORRUPT.*|SQLITE_NOTADB|XX00[12])$/, 'its files are damaged'],
  [/^(SQLITE_BUSY.*|SQLITE_LOCKED.*|55P03)$/, 'another transaction holds a lock'],
  [/^(SQLITE_CANTOPEN.*|SQLITE_PERM|EACCES|EPERM)$/, 'its file cannot be opened'],
  [/^57P0[12]$/, 'it is shutting down'],
  [/^57P03$/, 'it is starting or shutting down'],
  [/^57014$/, 'a statement took too long'],
  [/^(28...|42501)$/, 'the role may not do this'],
  [of_certificate, 'its certificate is not accepted'],
  [/^(08...|ECONN.*|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)$/, 'it cannot be reached'],
];

/** Whether the transaction lost against another and would succeed when it runs again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01' || (code?.startsWith('SQLITE_BUSY') ?? false);
}

/**
 * The code of an error of the database or its connection: `SQLITE_FULL`, an SQLSTATE such as
 * `23505`, or a system code such as `ECONNREFUSED`. Null for other errors. Codes of Node itself
 * begin with `ERR_` and indicate a bug, except for that of a certificate. In Jest, errors of Node
 * are of another realm.
 */
export function codeOf(error: unknown): string | null {
  if (!Error.isError(error)) return null;
  if (!('code' in error) || typeof error.code !== 'string') return uncoded.get(error.message) ?? null;
  const { code } = error;
  return /^SQLITE_/.test(code) || of_certificate.test(code) || of_system.test(code) || sqlstate.test(code)
    ? code
    : null;
}

const of_system = /^E(?!RR_)[A-Z0-9_]+$/;

/** No class of SQLSTATE begins with E. */
const sqlstate = /^[0-9A-DF-Z][0-9A-Z]{4}$/;

/**
 * Messages of the Postgres client about a connection that have no code, word for word, with the
 * matching SQLSTATE.
 */
const uncoded: ReadonlyMap<string, string> = new Map([
  ['timeout exceeded when trying to connect', '08001'],
  ['Connection terminated due to connection timeout', '08001'],
  ['Connection terminated unexpectedly', '08006'],
  ['Connection terminated', '08006'],
  ['Client was closed and is not queryable', '08003'],
  ['Query read timeout', '57014'],
  ['timeout expired', '08001'],
  ['The server does not support SSL connections', '08001'],
  ['There was an error establishing an SSL connection', '08001'],
  ['Client has encountered a connection error and is not queryable', '08003'],
]);

/**
 * Whether the same call may succeed later: when a connection, a lock, memory, disk space or write
 * access is available.
 */
function isTransient(code: string): boolean {
  if (code.startsWith('SQLITE_')) {
    return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|INTERRUPT|NOMEM|PROTOCOL)/.test(code);
  }
  return (
    of_certificate.test(code) ||
    of_system.test(code) ||
    transient_classes.has(code.slice(0, 2)) ||
    transient_states.has(code)
  );
}

/**
 * Connections (08), conflicts (40), resources (53), locks (55), interruption by an operator or a
 * time-out (57), the server's disk (58).
 */
const transient_classes: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57', '58']);

/**
 * Of class 25: transactions that took too long, and writes while the database only reads: it became
 * a standby, or somebody protects a disk that is nearly full. The other codes of the class are bugs.
 */
const transient_states: ReadonlySet<string> = new Set(['25006', '25P03', '25P04']);
