import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../schema/dialect.ts';
import type { ColumnKind } from '../../schema/tables/columns.ts';

/**
 * Records as a table within a statement, passed as one JSON parameter: one prepared statement for
 * any number of rows of one shape.
 */
export function jsonRows(
  dialect: Dialect,
  columns: Readonly<Record<string, ColumnKind>>,
  records: readonly object[],
): RawBuilder<unknown> {
  const json = JSON.stringify(records);
  const names = Object.keys(columns);
  if (dialect === 'sqlite') {
    const fields = names.map((name) => sql`value ->> ${sql.lit(`$.${name}`)} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(fields)} from json_each(${json}))`;
  }
  const types = { integer: sql`bigint`, text: sql`text`, boolean: sql`boolean`, json: sql`text` };
  const definitions = names.map((name) => sql`${sql.ref(name)} ${types[columns[name]!]}`);
  return sql`(select * from json_to_recordset(${json}::json) as r (${sql.join(definitions)}))`;
}

/** Whether a column is one of these texts, passed as one JSON parameter. */
export function isOneOfTexts(dialect: Dialect, column: string, texts: readonly string[]): RawBuilder<boolean> {
  const json = JSON.stringify(texts);
  return dialect === 'sqlite'
    ? sql<boolean>`(${sql.ref(column)} in (select value from json_each(${json})))`
    : sql<boolean>`(${sql.ref(column)} = any(array(select json_array_elements_text(${json}::json))))`;
}

/** Whether a column is one of these ids, passed as one JSON parameter. */
export function isOneOf(dialect: Dialect, column: string, ids: readonly number[]): RawBuilder<boolean> {
  const json = JSON.stringify(ids);
  return dialect === 'sqlite'
    ? sql<boolean>`(${sql.ref(column)} in (select value from json_each(${json})))`
    : sql<boolean>`(${sql.ref(column)} = any(array(select json_array_elements_text(${json}::json)::bigint)))`;
}
