export interface RecordPlace {
  /** The place of the record in the file, from 1, header and trailer included. */
  readonly ordinal: number;
  /** Bytes from the start of the file to the record; for a format of lines, to its line. */
  readonly offset: number;
}
