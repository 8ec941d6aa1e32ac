import { hash } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';

const mark = '/* prepared */';

/**
 * Begins a statement of Kysely that Postgres prepares once for each connection, like `named`. The
 * text must not contain a value: the connection keeps every text until it is closed.
 */
export const prepared = sql.raw<unknown>(mark);

/** The statement without the mark, for a connection that is not ours. */
export function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(mark.length) : text;
}

/** A client that sends the statements with the mark under a name. */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the base class cannot be repeated here
  override query(query: any, ...others: any[]): any {
    if (typeof query !== 'string' || !query.startsWith(mark)) return super.query(query, ...others);
    return super.query({ name: `tallystick_${hash('sha1', query)}`, text: query }, ...others);
  }
}
