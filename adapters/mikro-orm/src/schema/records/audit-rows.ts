import type { LedgerChanges } from '@tallystick/cards';
import { type AuditMac, type AuditRow, auditContentHash } from '@tallystick/kernel';

/** An entry as a pass inserts it: with its id, which its hash includes. */
export type NewAuditRow = Omit<AuditRow, 'number' | 'link'>;

/** The rows for the entries of a pass, which get these ids. */
export function auditRows(
  mac: AuditMac,
  entries: LedgerChanges['audit_entries'],
  ids: readonly number[],
): readonly NewAuditRow[] {
  return entries.map(({ company_id, actor, action, object, request_id, source_address, details, at_ms }, place) => {
    const who = { company_id, actor, action, object, request_id, source_address };
    const row = { id: ids[place]!, ...who, details: JSON.stringify(details), at_ms };
    return { ...row, content_hash: auditContentHash(mac, row) };
  });
}
