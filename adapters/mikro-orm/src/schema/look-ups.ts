import { done_statuses, type HistorySearch, network_reference_part } from '@tallystick/cards';

/** The six characters that the network assigned, of a column with its reference. */
export function networkReferenceSql(column: string): string {
  return `substr(${column}, ${network_reference_part.start}, ${network_reference_part.length})`;
}

/** The statuses of a root that only a credit finds, as the list of an `in`. */
export const done_statuses_sql = `(${done_statuses.map((status) => `'${status}'`).join(', ')})`;

/** The values of a parameter that is a JSON array, as the list of an `in` on SQLite. */
export function listed(parameter: string): string {
  return `(select value from json_each(${parameter}))`;
}

/** A search as the parameters of a statement on SQLite. */
export function searchParameters({ since_ms, merchant_ids, amounts, is_credit }: HistorySearch): object {
  return {
    since_ms,
    merchant_ids: JSON.stringify(merchant_ids),
    amounts: JSON.stringify(amounts),
    is_credit: Number(is_credit),
  };
}

/**
 * The rows of a table that meet a condition, as a sub-query on Postgres. Postgres does not join
 * across `offset`, so it looks the rows up for each outer row. Otherwise a plan could read all rows
 * of a card, or of the table, and compare them afterwards, above all one that is prepared while the
 * table is almost empty. `end` orders and limits the rows.
 */
export function lookedUp(table: string, condition: string, end = ''): string {
  return `(select * from ${table} where ${condition} ${end} offset 0)`;
}
