import { type AuditLog, type AuditMac, auditContentHash, type RecordedAuditEntry } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import type { Session, Tables } from '../connection/session.ts';
import { readNewestFirstByTime } from './paging.ts';

/** The columns that are the entry itself. The others are its place in the chain. */
const entry_columns = ['id', 'company_id', 'actor', 'action', 'object', 'request_id', 'details', 'at_ms'] as const;

/** The audit log: append-only. Each filter has an index in the order of the list. */
export function auditLog(session: Session, mac: AuditMac): AuditLog {
  const { db } = session;
  return {
    async record({ company_id, actor, action, object, request_id, details }, at_ms) {
      const content = { company_id, actor, action, object, request_id, details: JSON.stringify(details), at_ms };
      const row = { id: await nextId(session), ...content };
      await db
        .insertInto('audit_entries')
        .values({ ...row, content_hash: auditContentHash(mac, row) })
        .execute();
    },

    list({ at, ...wanted }, page) {
      let found = db.selectFrom('audit_entries').select(entry_columns);
      for (const [name, value] of Object.entries(wanted)) {
        if (value !== undefined) found = found.where(sql<boolean>`${sql.ref(name)} = ${value}`);
      }
      if (at?.from_ms !== undefined) found = found.where('at_ms', '>=', at.from_ms);
      if (at?.to_ms !== undefined) found = found.where('at_ms', '<=', at.to_ms);
      return readNewestFirstByTime('audit', found, page, entryOf);
    },
  };
}

/**
 * The id of a new entry, which its hash includes. On SQLite the transaction has the only write
 * lock.
 */
async function nextId({ db, dialect }: Session): Promise<number> {
  const { rows } =
    dialect === 'postgres'
      ? await sql<{ id: number }>`select nextval('audit_entries_id_seq') as id`.execute(db)
      : await sql<{
          id: number;
        }>`select coalesce(max(seq), 0) + 1 as id from sqlite_sequence where name = 'audit_entries'`.execute(db);
  return Number(rows[0]!.id);
}

function entryOf(row: Pick<Selectable<Tables['audit_entries']>, (typeof entry_columns)[number]>): RecordedAuditEntry {
  return { ...row, details: JSON.parse(row.details) };
}
