import {
  type AuditChainStore,
  type AuditEntry,
  type AuditLog,
  type AuditMac,
  type AuditRow,
  assert,
  auditContentHash,
  type SealedAuditRow,
  unsealed_count_max,
} from '@tallystick/kernel';
import { isWithin, listByTime } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

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
      return listByTime('audit', found, page);
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

/** The chain of the audit log. A transaction has all tables for itself, so nothing is locked. */
export function auditChainStore(state: State): AuditChainStore {
  const { audit_chain, audit_hashes } = state;
  const unsealed = (): AuditRow[] => auditRows(state).filter(({ number }) => number === null);
  const read = async () => audit_chain.get(1) ?? null;
  return {
    read,
    lock: read,
    isWaiting: async () => unsealed().length > 0,
    async countUnsealed() {
      const waiting = unsealed();
      return { count: Math.min(waiting.length, unsealed_count_max), oldest_at_ms: waiting[0]?.at_ms ?? null };
    },
    unsealed: async (limit) => unsealed().slice(0, limit),
    async seal(seals, chain) {
      for (const { id, ...seal } of seals) {
        assert((audit_hashes.get(id)?.number ?? null) === null, `audit entry ${id} is sealed already`);
        audit_hashes.set(id, seal);
      }
      audit_chain.set(1, chain);
    },
    async write(chain) {
      audit_chain.set(1, chain);
    },
    async sealedAfter(after, limit) {
      const { number, id } = after ?? { number: Number.NEGATIVE_INFINITY, id: 0 };
      return sealedAuditRows(state)
        .filter((row) => row.number > number || (row.number === number && row.id > id))
        .slice(0, limit);
    },
  };
}

/** The sealed entries by number and then by id. */
export function sealedAuditRows(state: State): SealedAuditRow[] {
  return auditRows(state)
    .filter((row): row is SealedAuditRow => row.number !== null)
    .sort((a, b) => a.number - b.number || a.id - b.id);
}

function auditRows({ audit, audit_hashes }: State): AuditRow[] {
  return audit
    .entries()
    .map(([id, entry]) => {
      const { content_hash = null, number = null, link = null } = audit_hashes.get(id) ?? {};
      return { ...entry, id, details: JSON.stringify(entry.details), content_hash, number, link };
    })
    .sort((a, b) => a.id - b.id);
}
