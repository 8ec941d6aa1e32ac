import type { Interval } from '../time/calendar.ts';
import type { Call } from '../transactions/unit-of-work.ts';
import type { Page, PageRequest } from '../values/page.ts';

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
  /** The IP address of the caller; null: a call in process, a command or a job. */
  readonly source_address: string | null;
  /** Further facts; never a card number or a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function auditEntry(
  {
    company_id,
    actor,
    request_id,
    source_address = null,
  }: Pick<AuditEntry, 'company_id'> & Pick<Call, 'actor' | 'request_id' | 'source_address'>,
  action: string,
  object: string,
  details: AuditEntry['details'] = {},
): AuditEntry {
  return { company_id, actor, action, object, request_id, source_address, details };
}

export interface RecordedAuditEntry extends AuditEntry {
  readonly id: number;
  readonly at_ms: number;
}

/** The entries that an operator asks for. Each field that is present must be equal. */
export interface AuditFilter extends Partial<Pick<AuditEntry, 'actor' | 'action' | 'object'>> {
  readonly company_id?: number;
  readonly at?: Interval;
}

/** The audit log. Entries are written in the transaction of the action, and are never changed. */
export interface AuditLog {
  record(entry: AuditEntry, at_ms: number): Promise<void>;
  /** Records entries of one transaction in their order, with a few statements. */
  recordAll(entries: readonly AuditEntry[], at_ms: number): Promise<void>;
  /** Newest first, by time and then by id. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<RecordedAuditEntry>>;
}
