import type { StatementNotes } from './host-dialect.ts';

/** Calls do not nest, so one name is enough. */
export const savepoint = 'tallystick';

/** The transaction of a host within a savepoint. */
export interface OpenedHost {
  /** Undoes, at the end of a call that succeeded, what opening did to the settings. */
  restore(notes: StatementNotes): Promise<void>;
}
