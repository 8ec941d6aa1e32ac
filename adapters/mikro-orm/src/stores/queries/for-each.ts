import { CompiledQuery } from 'kysely';
import { EachRow } from '../../connection/each-row.ts';
import type { Session } from '../../connection/session.ts';

/**
 * Executes a statement on SQLite once for each record, in their order, with the record's values of
 * these names as its parameters. Returns the rows that it returns.
 */
export async function forEach<Row>(
  { db }: Pick<Session, 'db'>,
  text: string,
  names: readonly string[],
  records: readonly object[],
): Promise<readonly Row[]> {
  const rows = records.map((record) => names.map((name) => parameterOf(record[name as keyof typeof record])));
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [new EachRow(rows)]))).rows;
}

function parameterOf(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}
