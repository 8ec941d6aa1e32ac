/** What one process asks for when nothing else is set: a small plan has about as many. */
export const database_connections_max_default = 15;

/** One for passes, one for look-ups, one for everything else. */
export const database_connections_min = 3;

/** Connections that were wanted, and those that can be had. */
export interface Connections {
  readonly wanted: number;
  readonly got: number;
}
