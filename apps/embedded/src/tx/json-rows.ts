/**
 * Rows as JSON texts. Type parsers and plugins of a host change the values and names of columns, and
 * Kysely and MikroORM have no way around them for one statement. None changes a text.
 */

const returns_rows = /^\s*(select|with|values)\b|\breturning\b/i;

const column = 'tallystick_row';

/** Whether the statement returns rows. One that writes does so only with `returning`. */
export function returnsRows(text: string): boolean {
  return returns_rows.test(text);
}

/** The statement that returns each row as one text. Postgres runs it once and in its order. */
export function asJsonRows(text: string): string {
  return `with tallystick_rows as (${text}) select row_to_json(tallystick_rows)::text as ${column} from tallystick_rows`;
}

/** The rows of such a statement. Bytes are the text `\x` and hexadecimal digits. */
export function rowsOfJson(rows: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] {
  return rows.map((row) => JSON.parse((row as Record<string, string>)[column]!) as Readonly<Record<string, unknown>>);
}
