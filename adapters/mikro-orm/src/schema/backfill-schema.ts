import { defineEntity, p } from '@mikro-orm/core';

/**
 * The stages of a backfill. `copying`: rows from before the migration are copied in batches.
 * `copied`: everything is copied and read, and the structures of before are still there. `done`:
 * they are removed.
 */
export type BackfillState = 'copying' | 'copied' | 'done';

/** One row for each backfill, inserted by its migration. */
export const Backfill = defineEntity({
  name: 'Backfill',
  tableName: 'backfills',
  properties: {
    name: p.text().primary(),
    state: p.text().$type<BackfillState>(),
    /** The last number that was copied; 0 before the first. */
    checkpoint: p.bigint('number'),
    /** The last number to copy. Later rows are written complete. */
    until: p.bigint('number'),
    /** When the last row was copied, by the clock of the database; epoch milliseconds. */
    copied_at_ms: p.bigint('number').nullable(),
  },
});
