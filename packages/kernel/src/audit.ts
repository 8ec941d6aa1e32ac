/** Something a person must be able to account for later: a number shown, a key made, a match moved. */
export interface AuditEntry {
  /** Null for what concerns no single company. */
  readonly company_id: number | null;
  /** Who: `key:<id>`, `command`, `job:<name>`. */
  readonly actor: string;
  /** What, in the field's words: `card_number.shown`, `api_key.created`. */
  readonly action: string;
  /** On what: `virtualcard:17`. */
  readonly object: string;
  readonly request_id: string | null;
  /** Further facts; never a card number or a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The audit log. Entries are written in the transaction of what they tell of, and are never changed. */
export interface AuditLog {
  record(entry: AuditEntry, at_ms: number): Promise<void>;
}
