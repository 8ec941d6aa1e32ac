import { done_statuses, network_reference_part } from '@tallystick/cards';

/** The six characters that the network assigned, of a column with its reference. */
export function networkReferenceSql(column: string): string {
  return `substr(${column}, ${network_reference_part.start}, ${network_reference_part.length})`;
}

/** The statuses of a root that only a credit finds, as the list of an `in`. */
export const done_statuses_sql = `(${done_statuses.map((status) => `'${status}'`).join(', ')})`;
