/** What a migration asks of the database while it is made. */
export interface Look {
  /** The largest value of a column; 0 for an empty table. */
  largest(table: string, column: string): Promise<number>;
}

/**
 * The statement that enters a backfill of the numbers 1..`until`. With nothing to copy it is done.
 */
export function startBackfill(name: string, until: number): string {
  const state = until === 0 ? 'done' : 'copying';
  return `insert into backfills (name, state, checkpoint, until) values ('${name}', '${state}', 0, ${until})`;
}
