import type { AuditEntry, AuditLog, AuditMac, RecordedAuditEntry } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import type { Session, Tables } from '../../connection/session.ts';
import { auditRows } from '../../schema/records/audit-rows.ts';
import { readNewestFirstByTime } from '../queries/paging.ts';

/** The columns that are the entry itself. The others are its place in the chain. */
const entry_columns = [
  'id',
  'company_id',
  'actor',
  'action',
  'object',
  'request_id',
  'source_address',
  'details',
  'at_ms',
] as const;

/** The most rows of one insert: SQLite takes 32,766 parameters. */
const rows_of_statement = 500;

/** The audit log: append-only. Each filter has an index in the order of the list. */
export function auditLog(session: Session, mac: AuditMac): AuditLog {
  const { db } = session;

  async function recordAll(entries: readonly AuditEntry[], at_ms: number): Promise<void> {
    for (let from = 0; from < entries.length; from += rows_of_statement) {
      const some = entries.slice(from, from + rows_of_statement).map((entry) => ({ ...entry, at_ms }));
      const rows = auditRows(mac, some, await nextIds(session, some.length));
      await db
        .insertInto('tallystick_audit_entries')
        .values([...rows])
        .execute();
    }
  }

  return {
    record: (entry, at_ms) => recordAll([entry], at_ms),
    recordAll,

    list({ at, ...wanted }, page) {
      let found = db.selectFrom('tallystick_audit_entries').select(entry_columns);
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
 * The ids of new entries, which their hashes include. On SQLite the transaction has the only write
 * lock.
 */
async function nextIds({ db, dialect }: Session, count: number): Promise<readonly number[]> {
  if (dialect === 'postgres') {
    const { rows } = await sql<{
      id: number;
    }>`select nextval('tallystick_audit_entries_id_seq') as id from generate_series(1, ${count}::int)`.execute(db);
    return rows.map(({ id }) => Number(id));
  }
  const { rows } = await sql<{
    last: number;
  }>`select coalesce(max(seq), 0) as last from sqlite_sequence where name = 'tallystick_audit_entries'`.execute(db);
  return Array.from({ length: count }, (_, offset) => rows[0]!.last + 1 + offset);
}

function entryOf(
  row: Pick<Selectable<Tables['tallystick_audit_entries']>, (typeof entry_columns)[number]>,
): RecordedAuditEntry {
  return { ...row, details: JSON.parse(row.details) };
}
