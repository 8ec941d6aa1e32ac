import type { StatementWriting } from './write-statements.ts';

/** How the files of a set are written. */
export interface SetWriting {
  /** Absolute; exists, and is empty. */
  readonly folder: string;
  readonly variant: string | undefined;
  /** How many clearing files there are. */
  readonly files: number;
  /** The number of the first one in its series. */
  readonly sequence: number;
  /** The statements that are written; null for none. */
  readonly statements: StatementWriting | null;
  /** The cards exist, and the authorizations are sent. */
  readonly is_loaded: boolean;
}

/** Where the files of a set are. */
export interface SetFiles {
  readonly folder: string;
  /** Absolute paths, in the order in which they are to be imported. */
  readonly clearing_files: readonly string[];
  /** The same, after the clearing files; empty without statements. */
  readonly statement_files: readonly string[];
}
