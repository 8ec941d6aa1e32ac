import {
  accepted_statuses,
  type ImportRecord,
  type ImportStore,
  type PlaceInSeries,
  staged_phases,
} from '@tallystick/imports';
import { assert, Fault } from '@tallystick/kernel';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** Imports of files, and the batches of records that they staged. */
export function importStore({ imports, import_batches, import_statements }: State): ImportStore {
  const of = (import_id: number) => import_batches.entries().filter(([, row]) => row.import_id === import_id);
  const statementsOf = (import_id: number) =>
    import_statements.entries().filter(([, row]) => row.import_id === import_id);

  function assertUnique({ id, sha256 }: Pick<ImportRecord, 'sha256'> & { readonly id: number | null }): void {
    const is_taken = sha256 !== null && imports.values().some((row) => row.sha256 === sha256 && row.id !== id);
    if (is_taken) throw new Fault('another import has this hash', { retryable: false });
  }

  const store: ImportStore = {
    // Transactions that write run one after another.
    lockDecisions: async () => {},

    async insert(record) {
      assertUnique({ ...record, id: null });
      return imports.insert(record);
    },

    find: async (id) => imports.get(id) ?? null,
    lock: async (id) => imports.get(id) ?? null,
    findBySha256: async (sha256) => imports.values().find((row) => row.sha256 === sha256) ?? null,

    async update(record) {
      assert(imports.has(record.id), `import ${record.id} is updated, and does not exist`);
      assertUnique(record);
      imports.set(record.id, record);
    },

    async remove(id) {
      await store.removeStaged(id);
      imports.delete(id);
    },

    async list({ status, format, name_prefix = '' }, page) {
      const found = imports
        .values()
        .filter((row) => (status ?? row.status) === row.status && (format ?? row.format) === row.format)
        .filter(({ name }) => name.startsWith(name_prefix));
      return newestFirst('imports', found, page);
    },

    async findSameFile({ id, format, file_id }) {
      const same = imports
        .values()
        .filter((row) => isAccepted(row) && row.id !== id && row.format === format && row.file_id === file_id);
      return same.sort((a, b) => b.id - a.id)[0] ?? null;
    },

    async findPrevious(file) {
      const before = imports
        .values()
        .filter((row) => isAccepted(row) && row.id !== file.id)
        .filter((row) => row.format === file.format && row.series === file.series && row.mode === file.mode)
        .filter((row) => row.sequence !== null)
        .filter((row) => compare(row, file) < 0);
      return before.sort((a, b) => compare(b, a) || b.id - a.id)[0] ?? null;
    },

    async listDead(machine_ms, limit) {
      const dead = imports
        .values()
        .filter(({ status, lease }) => status === 'running' && (lease?.until_machine_ms ?? 0) <= machine_ms);
      return dead.sort((a, b) => a.id - b.id).slice(0, limit);
    },

    async listCheckingStatements() {
      const checking = imports
        .values()
        .filter(({ status, phase }) => status === 'running' && (phase === 'checking' || phase === 'recording'));
      return checking.sort((a, b) => a.id - b.id);
    },

    async statements(import_id, statuses) {
      const its = statementsOf(import_id).map(([, row]) => row);
      return its.filter(({ status }) => statuses.includes(status)).sort((a, b) => a.number - b.number);
    },

    async listStatements({ import_id, status }, page) {
      const its = statementsOf(import_id).map(([id, row]) => ({ id, ...row }));
      const found = its.filter((row) => (status ?? row.status) === row.status);
      const { items, next } = newestFirst('import_statements', found, page);
      return { items: items.map(({ id, ...statement }) => statement), next };
    },

    async putStatements(statements) {
      for (const [import_id, its] of Map.groupBy(statements, (statement) => statement.import_id)) {
        imports.assertHas(import_id, 'import');
        const ids = new Map(statementsOf(import_id).map(([id, { number }]) => [number, id]));
        for (const statement of its)
          import_statements.set(ids.get(statement.number) ?? import_statements.nextId(), statement);
      }
    },

    async listWaiting(after_id, limit) {
      const waiting = import_statements
        .values()
        .filter(({ status, problem }) => status === 'held' && problem !== null && problem.waits_for !== null);
      const ids = new Set(waiting.map(({ import_id }) => import_id).filter((id) => id > after_id));
      return [...ids].sort((a, b) => a - b).slice(0, limit);
    },

    async stage(batches) {
      for (const batch of batches) {
        imports.assertHas(batch.import_id, 'import');
        import_batches.set(import_batches.nextId(), batch);
      }
    },

    async batches(import_id, kind, after_number, limit) {
      const batches = of(import_id).map(([, row]) => row);
      const later = batches.filter((row) => row.kind === kind && row.number > after_number);
      return later.sort((a, b) => a.number - b.number).slice(0, limit);
    },

    async removeBatch({ import_id, kind, number }) {
      for (const [id, row] of of(import_id)) {
        if (row.kind === kind && row.number === number) import_batches.delete(id);
      }
    },

    async replaceBatch({ import_id, kind, number, sealed }) {
      for (const [id, row] of of(import_id)) {
        if (row.kind === kind && row.number === number) import_batches.change(id, { sealed });
      }
    },

    async removeStaged(import_id) {
      for (const [id] of of(import_id)) import_batches.delete(id);
      for (const [id] of statementsOf(import_id)) import_statements.delete(id);
    },

    async moveStaged(from_id, to_id) {
      for (const [id, row] of of(from_id)) import_batches.set(id, { ...row, import_id: to_id });
      for (const [id, row] of statementsOf(from_id)) import_statements.set(id, { ...row, import_id: to_id });
    },

    async batchesAfter(after_id, limit) {
      const later = import_batches.entries().filter(([id]) => id > after_id);
      return later
        .sort(([a], [b]) => a - b)
        .slice(0, limit)
        .map(([id, { sealed }]) => ({ id, sealed }));
    },

    async reseal(id, sealed) {
      import_batches.change(id, { sealed });
    },
  };
  return store;
}

function isAccepted({ status, phase }: ImportRecord): boolean {
  return (accepted_statuses as readonly string[]).includes(status) || (phase !== null && staged_phases.includes(phase));
}

function compare(a: Omit<PlaceInSeries, 'id'>, b: Omit<PlaceInSeries, 'id'>): number {
  const [a_day, b_day] = [a.created_on ?? '', b.created_on ?? ''];
  if (a_day !== b_day) return a_day < b_day ? -1 : 1;
  return (a.sequence ?? 0) - (b.sequence ?? 0);
}
