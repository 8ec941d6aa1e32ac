import { type AuditEntry, type AuditLog, type AuditMac, auditContentHash } from '@tallystick/kernel';
import { newestFirstByTime } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';
import { isWithin } from '../storage/within.ts';

/** The audit log. Entries are appended and never changed. */
export function auditLog(state: State, mac: AuditMac): AuditLog {
  const { audit } = state;
  return {
    async record(entry, at_ms) {
      appendAuditEntry(state, mac, { ...entry, at_ms });
    },
    async recordAll(entries, at_ms) {
      for (const entry of entries) appendAuditEntry(state, mac, { ...entry, at_ms });
    },
    async list({ at, ...wanted }, page) {
      const found = audit
        .entries()
        .map(([id, entry]) => ({ ...entry, id }))
        .filter(
          (entry) =>
            isWithin(entry.at_ms, at) &&
            Object.entries(wanted).every(([name, value]) => entry[name as keyof typeof wanted] === value),
        );
      return newestFirstByTime('audit', found, page);
    },
  };
}

/** Writes an entry with the hash of its content. */
export function appendAuditEntry(
  { audit, audit_hashes }: State,
  mac: AuditMac,
  entry: AuditEntry & { readonly at_ms: number },
): void {
  const id = audit.nextId();
  audit.set(id, entry);
  const content_hash = auditContentHash(mac, { ...entry, id, details: JSON.stringify(entry.details) });
  audit_hashes.set(id, { content_hash, number: null, link: null });
}
