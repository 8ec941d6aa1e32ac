import type { StatementWriting } from './write-statements.ts';

export interface SetWriting {
  /** Absolute; exists, and is empty. */
  readonly folder: string;
  readonly variant: string | undefined;
  readonly files: number;
  /** The number of the first one in its series. */
  readonly sequence: number;
  /** Null: no statements are written. */
  readonly statements: StatementWriting | null;
  /** The cards exist, and the authorizations are sent. */
  readonly is_loaded: boolean;
}

export interface SetFiles {
  readonly folder: string;
  /** Absolute paths, in the order in which they are to be imported. */
  readonly clearing_files: readonly string[];
  /**
   * Absolute paths, in the order in which they are to be imported: after the clearing files. Empty
   * without statements.
   */
  readonly statement_files: readonly string[];
}
