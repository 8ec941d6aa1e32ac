import type { AuditLog } from '@tallystick/kernel';
import type { Session } from '../connection/session.ts';

/** The audit log: append-only. */
export function auditLog({ db }: Session): AuditLog {
  return {
    async record({ company_id, actor, action, object, request_id, details }, at_ms) {
      await db
        .insertInto('audit_entries')
        .values({ company_id, actor, action, object, request_id, details: JSON.stringify(details), at_ms })
        .execute();
    },
  };
}
