import type { Call } from './call.ts';

/** Something a person must be able to account for later: a number shown, a key made, a webhook deleted. */
export interface AuditEntry {
  /** Null for what concerns no single company. */
  readonly company_id: number | null;
  /** Who: see `Call`. */
  readonly actor: string;
  /** What, in the field's words: `card_number.shown`, `api_key.created`. */
  readonly action: string;
  /** On what: `virtualcard:17`. */
  readonly object: string;
  readonly request_id: string | null;
  /** Further facts; never a card number or a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The entry that says what a call did, and to what. */
export function auditEntry(
  { company_id, actor, request_id }: Pick<AuditEntry, 'company_id'> & Pick<Call, 'actor' | 'request_id'>,
  action: string,
  object: string,
  details: AuditEntry['details'] = {},
): AuditEntry {
  return { company_id, actor, action, object, request_id, details };
}

/** The audit log. Entries are written in the transaction of what they tell of, and are never changed. */
export interface AuditLog {
  record(entry: AuditEntry, at_ms: number): Promise<void>;
}
