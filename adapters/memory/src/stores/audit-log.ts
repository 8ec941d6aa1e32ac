import type { AuditLog } from '@tallystick/kernel';
import type { State } from '../storage/state.ts';

/** The audit log. Entries are appended and never changed. */
export function auditLog({ audit }: State): AuditLog {
  return {
    async record(entry, at_ms) {
      audit.set(audit.nextId(), { ...entry, at_ms });
    },
  };
}
