import { UnusableTransaction } from '@tallystick/kernel';
import { codeOf } from '../connection/faults.ts';

/** For an error of the first statement in a transaction of the host: nothing was done yet. */
export function unusable(error: unknown): Error {
  if (error instanceof UnusableTransaction) return error;
  const code = codeOf(error);
  const known = code === null ? undefined : unusable_codes.get(code);
  if (known !== undefined) return new UnusableTransaction(known, { cause: error });
  const message = error instanceof Error ? error.message : String(error);
  return new UnusableTransaction(
    `the transaction given as { tx } cannot be used (${message}): begin a new one on an open connection`,
    { cause: error },
  );
}

export const none_open =
  'no transaction is open on the handle given as { tx }, or it is over: begin one first, and pass it on before its end';

export const another_database =
  'the transaction given as { tx } is on another database than this instance: begin it on the database and schema of createTallystick, after migrate()';

export const only_reads =
  'the transaction given as { tx } only reads: begin it without "read only" on a connection that may write';

const unusable_codes: ReadonlyMap<string, string> = new Map([
  ['25P01', none_open],
  ['25P02', 'a statement of the transaction given as { tx } has failed: roll it back and begin a new one'],
  ['25006', only_reads],
  ['SQLITE_READONLY', only_reads],
  ['42P01', another_database],
  ['42703', another_database],
  ['3F000', another_database],
]);
