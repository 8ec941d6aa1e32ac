/** A record that reconciliation has not taken into account yet. */
export interface InboxRow {
  readonly company_id: number;
  /** `account`: the first statement of an account changed, so more clearings need a line. */
  readonly kind: 'authorization' | 'clearing' | 'line' | 'account';
  readonly record_id: number;
}
