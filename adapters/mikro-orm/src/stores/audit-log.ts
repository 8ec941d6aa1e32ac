import type { AuditLog, RecordedAuditEntry } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import type { Session, Tables } from '../connection/session.ts';
import { readNewestFirstByTime } from './paging.ts';

/** The audit log: append-only. Each filter has an index in the order of the list. */
export function auditLog({ db }: Session): AuditLog {
  return {
    async record({ company_id, actor, action, object, request_id, details }, at_ms) {
      await db
        .insertInto('audit_entries')
        .values({ company_id, actor, action, object, request_id, details: JSON.stringify(details), at_ms })
        .execute();
    },

    list({ at, ...wanted }, page) {
      let found = db.selectFrom('audit_entries').selectAll();
      for (const [name, value] of Object.entries(wanted)) {
        if (value !== undefined) found = found.where(sql<boolean>`${sql.ref(name)} = ${value}`);
      }
      if (at?.from_ms !== undefined) found = found.where('at_ms', '>=', at.from_ms);
      if (at?.to_ms !== undefined) found = found.where('at_ms', '<=', at.to_ms);
      return readNewestFirstByTime('audit', found, page, entryOf);
    },
  };
}

function entryOf(row: Selectable<Tables['audit_entries']>): RecordedAuditEntry {
  return { ...row, details: JSON.parse(row.details) };
}
