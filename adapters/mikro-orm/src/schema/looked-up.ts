/**
 * The rows of a table that meet a condition, as a sub-query on Postgres. Postgres does not join
 * across `offset`, so it looks the rows up for each outer row. Otherwise a plan could read all rows
 * of a card, or of the table, and compare them afterwards, above all one that is prepared while the
 * table is almost empty. `end` orders and limits the rows.
 */
export function lookedUp(table: string, condition: string, end = ''): string {
  return `(select * from ${table} where ${condition} ${end} offset 0)`;
}
