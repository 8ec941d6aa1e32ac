import type { Call } from './call.ts';

/**
 * An action that a person must be able to account for later: a number shown, a key made, a webhook
 * deleted.
 */
export interface AuditEntry {
  /** Null if the action concerns no single company. */
  readonly company_id: number | null;
  /** The caller, see `Call`. */
  readonly actor: string;
  /** The action, in the words of the field: `card_number.shown`, `api_key.created`. */
  readonly action: string;
  /** The object of the action: `virtualcard:17`. */
  readonly object: string;
  readonly request_id: string | null;
  /** Further facts; never a card number or a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The entry for an action of a call on an object. */
export function auditEntry(
  { company_id, actor, request_id }: Pick<AuditEntry, 'company_id'> & Pick<Call, 'actor' | 'request_id'>,
  action: string,
  object: string,
  details: AuditEntry['details'] = {},
): AuditEntry {
  return { company_id, actor, action, object, request_id, details };
}

/** The audit log. Entries are written in the transaction of the action, and are never changed. */
export interface AuditLog {
  record(entry: AuditEntry, at_ms: number): Promise<void>;
}
