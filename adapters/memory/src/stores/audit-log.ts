import type { AuditLog } from '@tallystick/kernel';
import { newestFirstByTime } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';
import { isWithin } from '../storage/within.ts';

/** The audit log. Entries are appended and never changed. */
export function auditLog({ audit }: State): AuditLog {
  return {
    async record(entry, at_ms) {
      audit.set(audit.nextId(), { ...entry, at_ms });
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
