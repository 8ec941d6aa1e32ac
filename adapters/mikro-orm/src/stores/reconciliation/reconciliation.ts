import type {
  Act,
  BreakDay,
  Comment,
  CompanyProgress,
  Coverage,
  Entry,
  MatchCell,
  ReconciliationStore,
  RecordKey,
  RecordKind,
  StatementKeySetting,
  SummaryCell,
  Tolerance,
  Tolerances,
} from '@tallystick/reconciliation';
import { inbox_count_max, itemIdOf } from '@tallystick/reconciliation';
import type { Selectable } from 'kysely';
import { parseOrNull, type Session, type Tables, toJsonOrNull } from '../../connection/session.ts';
import { approvalStore } from './approvals.ts';
import { candidateReads } from './candidate-reads.ts';
import { insertActs } from './insert-acts.ts';
import { listItems } from './item-list.ts';
import { type ItemRow, itemOf } from './item-rows.ts';
import { nearReads } from './near-reads.ts';
import { periodStore } from './periods.ts';
import { inPieces, queriesOf } from './query.ts';
import { recordReads } from './record-reads.ts';
import { writeItems } from './write-items.ts';

/**
 * The items of reconciliation, and what keeps them up to date. Records have the statement keys of
 * the setting.
 */
export function reconciliationStore(session: Session, setting: StatementKeySetting): ReconciliationStore {
  const { dialect } = session;
  const queries = queriesOf(session);
  const { is_postgres, all, each, preferIndexes, run, list, from_ids, from_texts } = queries;
  const select_progress = `select ${progress_columns} from tallystick_reconciliation_companies where company_id = ?`;

  async function lock(company_id: number, how: string): Promise<CompanyProgress | null> {
    await preferIndexes();
    const lockRow = () => all<ProgressRow>(`${select_progress} ${is_postgres ? how : ''}`, company_id);
    let [row] = await lockRow();
    if (row === undefined) {
      await run(
        "insert into tallystick_reconciliation_companies (company_id, coverage, tolerances) values (?, '{}', '{}') on conflict do nothing",
        company_id,
      );
      [row] = await lockRow();
    }
    return row === undefined ? null : progressOf(row);
  }

  return {
    giveWay: session.giveWay,
    ...recordReads(queries, setting),
    ...candidateReads(queries, dialect),
    ...nearReads(queries),
    ...periodStore(queries, session),
    ...approvalStore(queries, session),

    lockCompany: async (company_id) => (await lock(company_id, 'for update'))!,
    // Does not exclude passes with acts of the company (`lockActs`), which have locked cards.
    lockCompanyIfFree: (company_id) => lock(company_id, 'for no key update skip locked'),

    async updateProgress({ company_id, coverage, tolerances, walk, unsearched, leftover_walks }) {
      await run(
        `update tallystick_reconciliation_companies
          set coverage = ?, tolerances = ?, walk = ?, unsearched = ?, leftover_walks = ? where company_id = ?`,
        JSON.stringify(Object.fromEntries(coverage)),
        JSON.stringify(Object.fromEntries(tolerances)),
        toJsonOrNull(walk),
        unsearched.length === 0 ? null : JSON.stringify(unsearched),
        leftover_walks,
        company_id,
      );
    },

    async readCoverage(company_id) {
      const rows = await all<{ currency: string; since: string }>(
        `select currency, min(first_statement_as_of) as since from tallystick_accounts
          where company_id = ? and first_statement_as_of is not null group by currency`,
        company_id,
      );
      return new Map(rows.map(({ currency, since }) => [currency, since]));
    },

    async readTolerances(company_id) {
      const [row] = await all<ProgressRow>(select_progress, company_id);
      return row === undefined ? new Map() : progressOf(row).tolerances;
    },

    async takeArrivals(company_id, limit) {
      // With `id in (...)`, Postgres would plan for an emptied inbox to compare each row with all of these.
      const rows = await all<{ kind: RecordKind | 'account'; record_id: number }>(
        `delete from tallystick_reconciliation_inbox where company_id = ? and id <= (select max(id) from
          (select id from tallystick_reconciliation_inbox where company_id = ? order by id limit ?) f)
          returning kind, record_id`,
        company_id,
        company_id,
        limit,
      );
      const records = new Map<number, RecordKey>();
      for (const { kind, record_id: id } of rows) {
        if (kind !== 'account') records.set(itemIdOf({ kind, id }), { kind, id });
      }
      return { rows: rows.length, records: [...records.values()] };
    },

    async hasWork(company_id, now_ms) {
      const found = await all(
        `select 1 as found where exists (select 1 from tallystick_reconciliation_inbox where company_id = ?)
          or exists (select 1 from tallystick_reconciliation_items where next_change_ms <= ? and +company_id = ?)
          or exists (select 1 from tallystick_reconciliation_companies where company_id = ?
            and walk is not null)`,
        company_id,
        now_ms,
        company_id,
        company_id,
      );
      return found.length > 0;
    },

    async companiesWithWork(now_ms, limit) {
      const arrived = await all<{ company_id: number }>(
        `with recursive waiting(company_id) as (
            select min(company_id) from tallystick_reconciliation_inbox
            union all select (select min(i.company_id) from tallystick_reconciliation_inbox i where i.company_id > w.company_id)
              from waiting w where w.company_id is not null)
          select company_id from waiting where company_id is not null limit ?`,
        limit,
      );
      const due = await all<{ company_id: number }>(
        `select distinct company_id from (select company_id from tallystick_reconciliation_items
          where next_change_ms <= ? order by next_change_ms limit ?) d`,
        now_ms,
        limit,
      );
      const walking = await all<{ company_id: number }>(
        `select company_id from tallystick_reconciliation_companies where walk is not null or unsearched is not null limit ?`,
        limit,
      );
      const companies = [...arrived, ...due, ...walking].map(({ company_id }) => company_id);
      return [...new Set(companies)].slice(0, limit);
    },

    // The plus keeps the databases from an index of the company: few items are due.
    async dueItems(company_id, now_ms, limit) {
      const rows = await all<{ id: number }>(
        `select id from tallystick_reconciliation_items where next_change_ms <= ? and +company_id = ?
          order by next_change_ms limit ?`,
        now_ms,
        company_id,
        limit,
      );
      return rows.map(({ id }) => id);
    },

    async itemsByPeriod(company_id, { from = '', to = last_date }, after, limit) {
      const rows = await all<ItemRow>(
        `select * from tallystick_reconciliation_items where company_id = ? and period_date <= ? and (period_date, id) > (?, ?)
          order by period_date, id limit ?`,
        company_id,
        to,
        after?.period_date ?? from,
        after?.id ?? 0,
        limit,
      );
      return rows.map(itemOf);
    },

    async backlog() {
      const [counted] = await all<{ waiting: number }>(
        'select count(*) as waiting from (select 1 from tallystick_reconciliation_inbox limit ?) w',
        inbox_count_max,
      );
      const [oldest] = await all<{ kind: RecordKind | 'account'; record_id: number }>(
        'select kind, record_id from tallystick_reconciliation_inbox order by id limit 1',
      );
      if (oldest === undefined) return { waiting: 0, oldest_at_ms: null };
      const { table, column } = arrival_columns[oldest.kind];
      const [arrived] = await all<{ at_ms: number }>(
        `select ${column} as at_ms from ${table} where id = ?`,
        oldest.record_id,
      );
      return { waiting: counted!.waiting, oldest_at_ms: arrived?.at_ms ?? null };
    },

    entries: (company_id, keys) =>
      inPieces(keys, async (piece) => {
        const rows = await all<EntryRow>(
          each(from_texts, 'e', 'e.*', 'tallystick_reconciliation_entries e', 'e.company_id = ? and e."key" = j.value'),
          list(piece),
          company_id,
        );
        return rows.map(entryOf);
      }),

    async entriesOf(company_id, places) {
      const columns = ['key', 'kind', 'record_id'];
      const from = is_postgres
        ? 'json_to_recordset(?::json) as j ("key" text, kind text, record_id bigint)'
        : `(select ${columns.map((name) => `value ->> '$.${name}' as "${name}"`)} from json_each(?)) j`;
      const sql = each(
        from,
        'e',
        'e.*',
        'tallystick_reconciliation_entries e',
        'e.company_id = ? and e."key" = j."key" and e.kind = j.kind and e.record_id = j.record_id',
      );
      return await inPieces(places, async (piece) => {
        const keys = piece.map(({ key, record }) => ({ key, kind: record.kind, record_id: record.id }));
        return (await all<EntryRow>(sql, JSON.stringify(keys), company_id)).map(entryOf);
      });
    },

    async entriesBetween(company_id, { from, to }, after, limit) {
      const rows = await all<EntryRow>(
        `select * from tallystick_reconciliation_entries
          where company_id = ? and ("key", kind, record_id) > (?, ?, ?) and "key" <= ?
          order by "key", kind, record_id limit ?`,
        company_id,
        after?.key ?? from,
        after?.record.kind ?? '',
        after?.record.id ?? 0,
        to,
        limit,
      );
      return rows.map(entryOf);
    },

    async actsOn(company_id, records) {
      const acts = await inPieces(records, async (piece) => {
        const rows = await all<ActRow>(
          // Companies without acts look up no record.
          `select * from tallystick_reconciliation_acts
            where exists (select 1 from tallystick_reconciliation_act_records where company_id = ?) and id in (
            select r.act_id from ${from_ids} cross join tallystick_reconciliation_act_records r
            where r.company_id = ? and r.record = j.value)`,
          company_id,
          list(piece.map(itemIdOf)),
          company_id,
        );
        return rows.map(actOf);
      });
      const by_id = new Map(acts.map((act) => [act.id, act]));
      return [...by_id.values()].sort((a, b) => a.id - b.id);
    },

    items: (company_id, ids) =>
      inPieces(ids, async (piece) => {
        const rows = await all<ItemRow>(
          each(from_ids, 'i', 'i.*', 'tallystick_reconciliation_items i', 'i.id = j.value and +i.company_id = ?'),
          list(piece),
          company_id,
        );
        return rows.map(itemOf);
      }),

    write: (changes) => writeItems(queries, dialect, changes),
    list: (company_id, filter, page) => listItems(queries, setting, company_id, filter, page),

    async cells(company_id) {
      const sql = `select ${cell_columns}, count, sum from tallystick_reconciliation_cells where company_id = ?`;
      return (await all<CellRow>(sql, company_id)).map(cellOf<SummaryCell>);
    },

    async matchCells(company_id) {
      const sql =
        'select settlement_date, rule, side, count from tallystick_reconciliation_match_cells where company_id = ?';
      return (await all<CellRow>(sql, company_id)).map(cellOf<MatchCell>);
    },

    breakDays: (company_id) =>
      all<BreakDay>(
        'select day, currency, due_date, count from tallystick_reconciliation_break_days where company_id = ?',
        company_id,
      ),

    async allCells() {
      const sumOf = (column: string) => `sum(${column})${is_postgres ? '::bigint' : ''} as ${column}`;
      const sql = `select ${cell_columns}, ${sumOf('count')}, ${sumOf('sum')}
        from tallystick_reconciliation_cells group by ${cell_columns}`;
      return (await all<CellRow>(sql)).map(cellOf<SummaryCell>);
    },

    async keepLines(company_id, line_ids, is_kept) {
      const [before, after] = is_kept ? ['differs', 'kept'] : ['kept', 'differs'];
      await run(
        `update tallystick_statement_lines set standing = ? where +company_id = ?
          and id in (select value from ${from_ids}) and standing = ?`,
        after,
        company_id,
        list(line_ids),
        before,
      );
    },

    insertActs: (acts) => insertActs(session, acts),

    async assign(company_id, item_id, assignee) {
      await run(
        'update tallystick_reconciliation_items set assignee = ? where id = ? and +company_id = ?',
        assignee,
        item_id,
        company_id,
      );
    },

    async insertComment(comment) {
      const { company_id, at_ms, actor, item_id, text } = comment;
      const [row] = await all<{ id: number }>(
        `insert into tallystick_reconciliation_comments (company_id, at_ms, actor, item_id, text) values (?, ?, ?, ?, ?)
          returning id`,
        ...[company_id, at_ms, actor, item_id, text],
      );
      return { ...comment, id: row!.id };
    },

    async commentsOn(company_id, records) {
      const comments = await inPieces(records, (piece) =>
        all<Comment>(
          each(
            from_ids,
            'c',
            'c.*',
            'tallystick_reconciliation_comments c',
            'c.company_id = ? and c.item_id = j.value',
          ),
          list(piece.map(itemIdOf)),
          company_id,
        ),
      );
      return comments.sort((a, b) => a.id - b.id);
    },

    async itemsAfter(company_id, after, limit) {
      const rows = await all<ItemRow>(
        `select * from tallystick_reconciliation_items where company_id = ? and (status, opened_at_ms, id) > (?, ?, ?)
          order by status, opened_at_ms, id limit ?`,
        company_id,
        after?.status ?? '',
        after?.opened_at_ms ?? 0,
        after?.id ?? 0,
        limit,
      );
      return rows.map(itemOf);
    },

    async companiesAfter(after, limit) {
      const rows = await all<{ id: number }>(
        'select id from tallystick_companies where id > ? order by id limit ?',
        after,
        limit,
      );
      return rows.map(({ id }) => id);
    },
  };
}

/** When a record of the inbox arrived. */
const arrival_columns: Readonly<Record<RecordKind | 'account', { readonly table: string; readonly column: string }>> = {
  authorization: { table: 'tallystick_authorizations', column: 'decided_at_ms' },
  clearing: { table: 'tallystick_clearings', column: 'recorded_at_ms' },
  line: { table: 'tallystick_statement_lines', column: 'recorded_at_ms' },
  account: { table: 'tallystick_accounts', column: 'created_at_ms' },
};

const last_date = '9999-12-31';

const cell_columns = 'currency, status, kind, class, due_date';

const progress_columns = 'company_id, coverage, tolerances, walk, unsearched, leftover_walks';

type ProgressRow = Selectable<Tables['tallystick_reconciliation_companies']>;
type EntryRow = Selectable<Tables['tallystick_reconciliation_entries']>;
type CellRow = Readonly<Record<string, string | number>>;
type ActRow = Selectable<Tables['tallystick_reconciliation_acts']>;

function progressOf({
  company_id,
  coverage,
  tolerances,
  walk,
  unsearched,
  leftover_walks,
}: ProgressRow): CompanyProgress {
  const since: Coverage = new Map(Object.entries(JSON.parse(coverage) as Record<string, string>));
  const tolerated: Tolerances = new Map(Object.entries(JSON.parse(tolerances) as Record<string, Tolerance>));
  return {
    company_id,
    coverage: since,
    tolerances: tolerated,
    walk: parseOrNull(walk),
    unsearched: parseOrNull(unsearched) ?? [],
    leftover_walks,
  };
}

function entryOf({ company_id, key, kind, record_id, item_id }: EntryRow): Entry {
  return { company_id, key, record: { kind, id: record_id }, item_id };
}

/** What a cell does not have is ''. */
function cellOf<Cell>(row: CellRow): Cell {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === '' ? null : value])) as Cell;
}

function actOf({ subject, ...act }: ActRow): Act {
  return { ...act, subject: JSON.parse(subject) };
}
