import {
  type ArchivedRow,
  type AuditMac,
  isGenuineChain,
  purgeableAuditEntries,
  type RetentionBatch,
  type RetentionKind,
  type RetentionProgress,
  type RetentionStore,
  retention_batch_max,
  signAuditChain,
  walked_kinds,
} from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { payloadOf } from '../../schema/records/stored-payload.ts';
import { auditChainStore } from '../audit/audit-chain.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';
import { reduceRows, settledRows } from './reduced-records.ts';

/** Where the due rows of a kind are, and which of them must stay. Rows have the alias `t`. */
interface Source {
  readonly table: string;
  readonly age: string;
  /** Columns with JSON text. */
  readonly json?: readonly string[];
  /** A row that meets it must stay. */
  readonly needed?: RawBuilder<unknown>;
  /** Only rows that meet it are of the kind. */
  readonly condition?: RawBuilder<unknown>;
}

/** The kinds whose rows are deleted one by one. */
const sources: Readonly<Record<Exclude<RetentionKind, 'authorizations' | 'clearings' | 'audit_entries'>, Source>> = {
  delivery_attempts: { table: 'tallystick_delivery_attempts', age: 'at_ms' },
  deliveries: { table: 'tallystick_deliveries', age: 'finished_at_ms', condition: sql`t.state <> 'pending'` },
  events: {
    table: 'tallystick_events',
    age: 'created_at_ms',
    json: ['payload', 'previous'],
    needed: sql`(t.id in (select o.event_id from tallystick_event_outbox o)
      or exists (select 1 from tallystick_deliveries d where d.event_id = t.id)
      or exists (select 1 from tallystick_subscriptions s where s.after_id < t.id))`,
  },
  mails: { table: 'tallystick_mails', age: 'finished_at_ms', condition: sql`t.state = 'sent'` },
  // `mayBeRemoved`. With `not exists` Postgres would read all records of the authorisation server.
  consents: {
    table: 'tallystick_consents',
    age: 'created_at_ms',
    json: ['account_numbers', 'permissions', 'debtor_account'],
    condition: sql`t.authorised_at_ms is null
      and (select r.id from tallystick_authorisation_records r where r.consent_id = t.consent_id limit 1) is null`,
  },
};

/** Rows whose retention time is over. */
export function retentionStore(session: Session, audit_mac: AuditMac): RetentionStore {
  const { db, dialect } = session;
  const audit_chain = auditChainStore(session);
  const skip_locked = dialect === 'postgres' ? sql`for update skip locked` : sql``;

  function progressOf(kind: RetentionKind): Promise<RetentionProgress | undefined> {
    const progress = db.selectFrom('tallystick_retention').select(['after_id', 'left_id', 'began_at_ms']);
    return progress.where('kind', '=', kind).executeTakeFirst();
  }

  /** The next rows in the order of their ids, until one is too young. */
  async function walk(source: Source, before_ms: number, after: number): Promise<RetentionBatch> {
    const { table, age, needed = sql`false` } = source;
    const { rows } = await sql<{ id: number; is_needed: boolean | 0 | 1 }>`
      select t.*, ${needed} as is_needed from ${sql.table(table)} t
      where t.id > ${after} order by t.id limit ${retention_batch_max}`.execute(db);
    const young = rows.findIndex((row) => (row as unknown as Record<string, number>)[age]! >= before_ms);
    const old = young === -1 ? rows : rows.slice(0, young);
    return {
      rows: old.filter(({ is_needed }) => !is_needed).map((row) => archived(source, row)),
      after: old.at(-1)?.id ?? after,
      left_id: old.find(({ is_needed }) => is_needed)?.id ?? null,
      is_last: old.length < retention_batch_max,
    };
  }

  /** The next rows by the index on their age. */
  async function oldest(source: Source, before_ms: number, after: number): Promise<RetentionBatch> {
    const { table, age, condition = sql`true` } = source;
    const { rows } = await sql<ArchivedRow>`
      select t.* from ${sql.table(table)} t where ${condition} and ${sql.ref(`t.${age}`)} < ${before_ms}
      order by ${sql.ref(`t.${age}`)} limit ${retention_batch_max} offset ${after}`.execute(db);
    return {
      rows: rows.map((row) => archived(source, row)),
      after: after + rows.length,
      left_id: null,
      is_last: rows.length < retention_batch_max,
    };
  }

  /** Deletes the rows that still may go. */
  async function deleteRows(source: Source, before_ms: number, rows: readonly ArchivedRow[]): Promise<number> {
    const { table, age, needed = sql`false`, condition = sql`true` } = source;
    const ids = rows.map(({ id }) => Number(id));
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where id in (
        select t.id from ${sql.table(table)} t
        where ${isOneOf(dialect, 't.id', ids)} and ${condition} and ${sql.ref(`t.${age}`)} < ${before_ms} and not ${needed}
        order by t.id ${skip_locked})`.execute(db);
    return Number(numAffectedRows ?? 0n);
  }

  /** The oldest sealed entries of the audit log, until one is too young. */
  async function oldestAuditEntries(before_ms: number, after: number): Promise<RetentionBatch> {
    const { rows } = await sql<ArchivedRow & { readonly at_ms: number }>`
      select t.* from tallystick_audit_entries t where t.number is not null
      order by t.number limit ${retention_batch_max} offset ${after}`.execute(db);
    const young = rows.findIndex(({ at_ms }) => at_ms >= before_ms);
    const old = young === -1 ? rows : rows.slice(0, young);
    return {
      rows: old.map((row) => archived({ json: ['details'] }, row)),
      after: after + old.length,
      left_id: null,
      is_last: old.length < retention_batch_max,
    };
  }

  /** Deletes the beginning of the chain, and keeps in its row where the rest begins. */
  async function deleteAuditEntries(before_ms: number, rows: readonly ArchivedRow[]): Promise<number> {
    const row = await audit_chain.lock();
    if (row === null || !isGenuineChain(audit_mac, row, true)) return 0;
    const archived_ids = new Set(rows.map(({ id }) => id));
    const oldest = await audit_chain.sealedAfter(null, rows.length);
    const { ids, chain } = purgeableAuditEntries(
      audit_mac,
      row,
      oldest,
      ({ id, at_ms }) => archived_ids.has(id) && at_ms < before_ms,
    );
    if (ids.length === 0) return 0;
    await sql`delete from tallystick_audit_entries where ${isOneOf(dialect, 'id', ids)}`.execute(db);
    await audit_chain.write(signAuditChain(audit_mac, chain));
    return ids.length;
  }

  /** Attempts have no id, and nobody changes one. */
  async function deleteAttempts(rows: readonly ArchivedRow[]): Promise<number> {
    const keys = jsonRows(
      dialect,
      { delivery_id: 'integer', number: 'integer' },
      rows.map(({ delivery_id, number }) => ({ delivery_id, number })),
    );
    const { numAffectedRows } = await sql`
      delete from tallystick_delivery_attempts where (delivery_id, number) in (select n.delivery_id, n.number from ${keys} as n)`.execute(
      db,
    );
    return Number(numAffectedRows ?? 0n);
  }

  /**
   * Removes blocks of the filter index whose events are all gone: a merged range below every event.
   */
  async function deleteIndexBlocks(): Promise<void> {
    await sql`
      delete from tallystick_event_filter_blocks where (range_size, from_id, field, first_key) in (
        select b.range_size, b.from_id, b.field, b.first_key from tallystick_event_filter_blocks b
        where b.range_size = (select volume_size from tallystick_event_index)
          and b.from_id <= coalesce((select min(id) from tallystick_events), (select merged_below from tallystick_event_index))
            - (select volume_size from tallystick_event_index)
        order by b.from_id limit ${retention_batch_max})`.execute(db);
  }

  return {
    async claim(kind, { token, machine_ms, until_machine_ms }, now_ms) {
      await sql`insert into tallystick_retention (kind, after_id, began_at_ms) values (${kind}, 0, ${now_ms})
        on conflict (kind) do nothing`.execute(db);
      const { numUpdatedRows } = await db
        .updateTable('tallystick_retention')
        .set({ lease: token, lease_until_machine_ms: until_machine_ms })
        .where('kind', '=', kind)
        .where((eb) => eb.or([eb('lease', 'is', null), eb('lease_until_machine_ms', '<=', machine_ms)]))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return null;
      return (await progressOf(kind))!;
    },

    async progress(kind) {
      return (await progressOf(kind)) ?? null;
    },

    async due(kind, bounds, after) {
      if (kind === 'authorizations' || kind === 'clearings') {
        return await settledRows(session, kind, bounds, after);
      }
      if (kind === 'audit_entries') return await oldestAuditEntries(bounds.before_ms, after);
      const source = sources[kind];
      return walked_kinds.has(kind)
        ? await walk(source, bounds.before_ms, after)
        : await oldest(source, bounds.before_ms, after);
    },

    async remove(kind, bounds, rows) {
      if (kind === 'authorizations' || kind === 'clearings') return await reduceRows(session, kind, bounds, rows);
      if (kind === 'audit_entries') return await deleteAuditEntries(bounds.before_ms, rows);
      if (kind === 'delivery_attempts') return await deleteAttempts(rows);
      const removed = await deleteRows(sources[kind], bounds.before_ms, rows);
      if (kind === 'events') await deleteIndexBlocks();
      return removed;
    },

    async save(kind, { token, until_machine_ms }, progress) {
      const { numUpdatedRows } = await db
        .updateTable('tallystick_retention')
        .set({ ...progress, lease_until_machine_ms: until_machine_ms })
        .where('kind', '=', kind)
        .where('lease', '=', token)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async release(kind, { token }) {
      await db
        .updateTable('tallystick_retention')
        .set({ lease: null, lease_until_machine_ms: null })
        .where('kind', '=', kind)
        .where('lease', '=', token)
        .execute();
    },
  };
}

/** The row with its JSON columns as values. */
function archived({ json = [] }: Pick<Source, 'json'>, row: object): ArchivedRow {
  const { is_needed: _, ...columns } = row as Record<string, unknown>;
  for (const name of json) {
    const text = columns[name];
    if (typeof text === 'string') columns[name] = name === 'payload' ? payloadOf(text) : JSON.parse(text);
  }
  return columns;
}
