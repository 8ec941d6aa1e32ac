/**
 * A row of what people did in reconciliation. It commits with the effects on the card, and means
 * nothing to this package (decision: reconciliation).
 */
export interface ReconciliationActRow {
  readonly company_id: number;
  readonly at_ms: number;
  readonly actor: string;
  readonly action: string;
  readonly item_id: number;
  /** JSON text. */
  readonly subject: string;
  readonly note: string;
  readonly reason: string | null;
  readonly request_id: string | null;
}

/** An act that is not recorded yet: the pass adds its time. */
export type NewReconciliationAct = Omit<ReconciliationActRow, 'at_ms'>;

/** The acts about some records that a person has seen. */
export interface SeenActs {
  readonly company_id: number;
  /** The records, as reconciliation numbers them. */
  readonly records: readonly number[];
  /** The id of the newest act about one of them; 0 when there was none. */
  readonly newest_id: number;
}
