import {
  accepted_statuses,
  type ImportBatch,
  type ImportRecord,
  type ImportStatement,
  type ImportStore,
  staged_phases,
} from '@tallystick/imports';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, parseOrNull, type Session, type Tables, toJsonOrNull } from '../../connection/session.ts';
import { lockKey } from '../../schema/locks.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { ImportStatement as ImportStatementTable } from '../../schema/tables/imports.ts';
import { upsertRows } from '../queries/insert-rows.ts';
import { readNewestFirst } from '../queries/paging.ts';

/**
 * The advisory lock of the transactions that decide about imports. Any number, the same in all
 * processes.
 */
const decisions_lock = 1_733_902_118;

/** Imports of files, and the batches of records that they staged. */
export function importStore(session: Session): ImportStore {
  const { db, dialect } = session;
  const imports = () => db.selectFrom('tallystick_imports').selectAll();
  const batches = (import_id: number, kind: ImportBatch['kind']) =>
    db
      .selectFrom('tallystick_import_batches')
      .select(['import_id', 'kind', 'number', 'sealed'])
      .where('import_id', '=', import_id)
      .where('kind', '=', kind)
      .orderBy('number');
  const accepted = () =>
    imports().where((row) => row.or([row('status', 'in', accepted_statuses), row('phase', 'in', staged_phases)]));

  const statements = () => db.selectFrom('tallystick_import_statements').selectAll();
  const removeStaged = async (import_id: number): Promise<void> => {
    await db.deleteFrom('tallystick_import_batches').where('import_id', '=', import_id).execute();
    await db.deleteFrom('tallystick_import_statements').where('import_id', '=', import_id).execute();
  };

  return {
    async lockDecisions() {
      if (dialect === 'postgres')
        await sql`select pg_advisory_xact_lock(${sql.raw(lockKey(decisions_lock))})`.execute(db);
    },

    async insert(record) {
      const { id } = await db
        .insertInto('tallystick_imports')
        .values(rowOf(record, dialect))
        .returning('id')
        .executeTakeFirstOrThrow();
      return { ...record, id };
    },

    async find(id) {
      return recordOrNull(await imports().where('id', '=', id).executeTakeFirst());
    },

    async lock(id) {
      return recordOrNull(await lockForUpdate(session, imports().where('id', '=', id)).executeTakeFirst());
    },

    async findBySha256(sha256) {
      return recordOrNull(await imports().where('sha256', '=', sha256).executeTakeFirst());
    },

    async update({ id, ...record }) {
      await db.updateTable('tallystick_imports').set(rowOf(record, dialect)).where('id', '=', id).execute();
    },

    async remove(id) {
      await removeStaged(id);
      await db.deleteFrom('tallystick_imports').where('id', '=', id).execute();
    },

    list({ status, format, name_prefix }, page) {
      let its = imports();
      if (status !== undefined) its = its.where('status', '=', status);
      if (format !== undefined) its = its.where('format', '=', format);
      if (name_prefix !== undefined) {
        its = its.where('name', '>=', name_prefix).where('name', '<', `${name_prefix}\u{10ffff}`);
      }
      return readNewestFirst('imports', its, page, recordOf);
    },

    async findSameFile({ id, format, file_id }) {
      const same = accepted().where('format', '=', format).where('file_id', '=', file_id).where('id', '<>', id);
      return recordOrNull(await same.orderBy('id', 'desc').limit(1).executeTakeFirst());
    },

    async findPrevious({ id, format, mode, series, sequence, created_on }) {
      const day = created_on ?? '';
      const before = accepted()
        .where('format', '=', format)
        .where('series', series === null ? 'is' : '=', series)
        .where('mode', mode === null ? 'is' : '=', mode)
        .where('id', '<>', id)
        // The comparison of rows lets one pass that has an earlier day and no number.
        .where('sequence', 'is not', null)
        .where(sql<boolean>`(coalesce(created_on, ''), sequence) < (${day}, ${sequence})`)
        .orderBy(sql`coalesce(created_on, '')`, 'desc')
        .orderBy('sequence', 'desc')
        .orderBy('id', 'desc');
      return recordOrNull(await before.limit(1).executeTakeFirst());
    },

    async listDead(machine_ms, limit) {
      const dead = imports()
        .where('status', '=', 'running')
        .where(sql<boolean>`coalesce(lease_until_machine_ms, 0) <= ${machine_ms}`);
      const rows = await dead.orderBy('id').limit(limit).execute();
      return rows.map(recordOf);
    },

    async listCheckingStatements() {
      const checking = imports().where('status', '=', 'running').where('phase', 'in', ['checking', 'recording']);
      return (await checking.orderBy('id').execute()).map(recordOf);
    },

    async statements(import_id, statuses) {
      const its = statements().where('import_id', '=', import_id).where('status', 'in', statuses);
      return (await its.orderBy('number').execute()).map(statementOf);
    },

    listStatements({ import_id, status }, page) {
      const all = statements().where('import_id', '=', import_id);
      const its = status === undefined ? all : all.where('status', '=', status);
      return readNewestFirst('import_statements', its, page, statementOf);
    },

    async putStatements(put) {
      for (let at = 0; at < put.length; at += statements_at_once) {
        const rows = put.slice(at, at + statements_at_once).map(statementRow);
        const key = ['import_id', 'number'];
        await upsertRows(dialect, 'tallystick_import_statements', statement_columns, key, rows).execute(db);
      }
    },

    async listWaiting(after_id, limit) {
      const waiting = db
        .selectFrom('tallystick_import_statements')
        .select('import_id')
        .distinct()
        .where('waits_for', 'is not', null)
        .where('import_id', '>', after_id);
      return (await waiting.orderBy('import_id').limit(limit).execute()).map(({ import_id }) => import_id);
    },

    async stage(staged) {
      for (const batch of staged) await db.insertInto('tallystick_import_batches').values(batch).execute();
    },

    batches: (import_id, kind, after_number, limit) =>
      batches(import_id, kind).where('number', '>', after_number).limit(limit).execute(),

    async removeBatch({ import_id, kind, number }) {
      const batch = db
        .deleteFrom('tallystick_import_batches')
        .where('import_id', '=', import_id)
        .where('kind', '=', kind);
      await batch.where('number', '=', number).execute();
    },

    async replaceBatch({ import_id, kind, number, sealed }) {
      const batch = db
        .updateTable('tallystick_import_batches')
        .set({ sealed })
        .where('import_id', '=', import_id)
        .where('kind', '=', kind);
      await batch.where('number', '=', number).execute();
    },

    removeStaged,

    async moveStaged(from_id, to_id) {
      const moved = { import_id: to_id };
      await db.updateTable('tallystick_import_batches').set(moved).where('import_id', '=', from_id).execute();
      await db.updateTable('tallystick_import_statements').set(moved).where('import_id', '=', from_id).execute();
    },

    async batchesAfter(after_id, limit) {
      const later = db.selectFrom('tallystick_import_batches').select(['id', 'sealed']).where('id', '>', after_id);
      return await lockForUpdate(session, later.orderBy('id').limit(limit)).execute();
    },

    async reseal(id, sealed) {
      await db.updateTable('tallystick_import_batches').set({ sealed }).where('id', '=', id).execute();
    },
  };
}

type Row = Selectable<Tables['tallystick_imports']>;

function rowOf(record: Omit<ImportRecord, 'id'>, dialect: Session['dialect']): Omit<Row, 'id'> {
  const {
    other_records,
    control_totals,
    warnings,
    problem,
    read_with,
    lease,
    is_repeatable,
    held_statements,
    ...fields
  } = record;
  return {
    ...fields,
    // SQLite has no booleans.
    is_repeatable: (dialect === 'sqlite' ? Number(is_repeatable) : is_repeatable) as boolean,
    other_records: JSON.stringify(other_records),
    control_totals: JSON.stringify(control_totals),
    warnings: JSON.stringify(warnings),
    problem: toJsonOrNull(problem),
    read_with: toJsonOrNull(read_with),
    held_statements: JSON.stringify(held_statements),
    lease: lease?.token ?? null,
    lease_until_machine_ms: lease?.until_machine_ms ?? null,
  };
}

function recordOf({ lease, lease_until_machine_ms, ...row }: Row): ImportRecord {
  return {
    ...row,
    is_repeatable: Boolean(row.is_repeatable),
    other_records: JSON.parse(row.other_records),
    control_totals: JSON.parse(row.control_totals),
    warnings: JSON.parse(row.warnings),
    problem: parseOrNull(row.problem),
    read_with: parseOrNull(row.read_with),
    held_statements: JSON.parse(row.held_statements),
    lease:
      lease === null || lease_until_machine_ms === null
        ? null
        : { token: lease, until_machine_ms: lease_until_machine_ms },
  };
}

type StatementRow = Selectable<Tables['tallystick_import_statements']>;

const statement_columns = columnsOf(ImportStatementTable, 'id');

/** The most statements that one statement of SQL writes. */
const statements_at_once = 1_000;

function statementRow({ offset, stated_problem, problem, accepted_problems, ...statement }: ImportStatement) {
  const { status } = statement;
  return {
    ...statement,
    position: offset,
    stated_problem: toJsonOrNull(stated_problem),
    problem: toJsonOrNull(problem),
    waits_for: status === 'held' ? (problem?.waits_for ?? null) : null,
    accepted_problems: JSON.stringify(accepted_problems),
  };
}

function statementOf({ id, position, waits_for, ...row }: StatementRow): ImportStatement {
  return {
    ...row,
    offset: position,
    is_newest_first: Boolean(row.is_newest_first),
    is_known: Boolean(row.is_known),
    stated_problem: parseOrNull(row.stated_problem),
    problem: parseOrNull(row.problem),
    accepted_problems: JSON.parse(row.accepted_problems),
  };
}

function recordOrNull(row: Row | undefined): ImportRecord | null {
  return row === undefined ? null : recordOf(row);
}
