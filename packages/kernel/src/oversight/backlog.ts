/** What waits for the service to do it, or for a person. */
export const backlog_names = [
  'deliveries_due',
  'events_unrelayed',
  'mails_due',
  'mails_failed',
  'audit_entries_unsealed',
  'webhooks_failing',
  'imports_held',
  'imports_in_part',
  'quarantine_open',
] as const;

export type BacklogName = (typeof backlog_names)[number];

/** How much of each waits in all companies, at most as many as were counted. */
export type Backlog = Readonly<Record<BacklogName, number>>;

export interface BacklogStore {
  /** Counts up to `max` of each: it reads no more rows than that. */
  count(now_ms: number, max: number): Promise<Backlog>;
}
