/** The index of the event log's filters. Whole segments are indexed after their commit. */
export interface EventIndex {
  /**
   * Indexes every full segment of the log. Returns early when another process is indexing, or when
   * a transaction that may own an id of the next segment stays open. Safe while other processes do
   * the same. Rejects with a `Fault` when the database fails; what it has written stays, and the
   * next call continues.
   */
  run(): Promise<void>;
  /** The number of segments that are full and not indexed. */
  unindexedSegments(): Promise<number>;
}
