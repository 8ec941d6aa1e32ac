import type { ReconciliationActRow } from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import {
  type Act,
  type ActKind,
  breakDayKeyOf,
  CellSums,
  type CompanyProgress,
  cellKeyOf,
  type Entry,
  hasItemOfLine,
  type Item,
  type ItemFilter,
  type ItemPlace,
  inbox_count_max,
  itemIdOf,
  matchCellKeyOf,
  type ReconciliationStore,
  type RecordKey,
  recordsOf,
  recordsOfAct,
  type StatementKeySetting,
  type SummaryCell,
  statementKeyOf,
} from '@tallystick/reconciliation';
import { following, isInRange, listByTime, oldestAfter } from '../../storage/paging.ts';
import type { InboxRow, State } from '../../storage/state.ts';
import { found, type Table } from '../../storage/table.ts';
import { changeStanding } from '../bank/accounts.ts';
import { approvalStore } from './approvals.ts';
import { nearItemsOf } from './near-items.ts';
import { periodStore } from './periods.ts';
import { recordReads } from './records.ts';

/**
 * The items of reconciliation, and what keeps them up to date. Records have the statement keys of
 * the setting.
 */
export function reconciliationStore(state: State, setting: StatementKeySetting): ReconciliationStore {
  const {
    accounts,
    authorizations,
    clearings,
    companies,
    reconciliation_acts,
    reconciliation_cells,
    reconciliation_comments,
    reconciliation_companies,
    reconciliation_entries,
    reconciliation_inbox,
    reconciliation_items,
    reconciliation_break_days,
    reconciliation_match_cells,
    statement_lines,
  } = state;

  const lock = async (company_id: number): Promise<CompanyProgress> => {
    const { coverage, tolerances, ...progress } =
      reconciliation_companies.get(company_id) ??
      reconciliation_companies.set(company_id, {
        coverage: [],
        tolerances: [],
        walk: null,
        unsearched: [],
        leftover_walks: 0,
      });
    return { company_id, coverage: new Map(coverage), tolerances: new Map(tolerances), ...progress };
  };
  const itemsOf = (company_id: number) =>
    reconciliation_items.values().filter((item) => item.company_id === company_id);
  const entriesOf = (company_id: number) =>
    reconciliation_entries.values().filter((entry) => entry.company_id === company_id);
  const inboxOf = (company_id: number) =>
    reconciliation_inbox.entries().filter(([, row]) => row.company_id === company_id);
  const isDue = ({ next_change_ms }: Item, now_ms: number) => next_change_ms !== null && next_change_ms <= now_ms;
  return {
    // A pass of the ledger is synchronous, and must not find the transaction open.
    giveWay: () => undefined,
    lockCompany: lock,
    lockCompanyIfFree: lock,

    async updateProgress({ company_id, coverage, tolerances, ...progress }) {
      reconciliation_companies.set(company_id, { coverage: [...coverage], tolerances: [...tolerances], ...progress });
    },

    async readTolerances(company_id) {
      return new Map(reconciliation_companies.get(company_id)?.tolerances);
    },

    async readCoverage(company_id) {
      const since = new Map<string, string>();
      for (const account of accounts.values()) {
        if (account.company_id !== company_id || account.first_statement === null) continue;
        const { as_of } = account.first_statement;
        const known = since.get(account.currency);
        if (known === undefined || as_of < known) since.set(account.currency, as_of);
      }
      return since;
    },

    async takeArrivals(company_id, limit) {
      const rows = inboxOf(company_id)
        .sort(([a], [b]) => a - b)
        .slice(0, limit);
      const records = new Map<number, RecordKey>();
      for (const [id, { kind, record_id }] of rows) {
        reconciliation_inbox.delete(id);
        if (kind === 'account') continue;
        const record = { kind, id: record_id };
        records.set(itemIdOf(record), record);
      }
      return { rows: rows.length, records: [...records.values()] };
    },

    async hasWork(company_id, now_ms) {
      return (
        inboxOf(company_id).length > 0 ||
        itemsOf(company_id).some((item) => isDue(item, now_ms)) ||
        (reconciliation_companies.get(company_id)?.walk ?? null) !== null
      );
    },

    async companiesWithWork(now_ms, limit) {
      const ids = [
        ...reconciliation_inbox.values().map(({ company_id }) => company_id),
        ...reconciliation_items
          .values()
          .filter((item) => isDue(item, now_ms))
          .map(({ company_id }) => company_id),
        ...reconciliation_companies
          .entries()
          .filter(([, { walk, unsearched }]) => walk !== null || unsearched.length > 0)
          .map(([id]) => id),
      ];
      return [...new Set(ids)].slice(0, limit);
    },

    async dueItems(company_id, now_ms, limit) {
      const due = itemsOf(company_id).filter((item) => isDue(item, now_ms));
      return due
        .sort((a, b) => a.next_change_ms! - b.next_change_ms!)
        .slice(0, limit)
        .map(({ id }) => id);
    },

    async backlog() {
      const rows = reconciliation_inbox.entries().toSorted(([a], [b]) => a - b);
      const [oldest] = rows;
      return {
        waiting: Math.min(rows.length, inbox_count_max),
        oldest_at_ms: oldest === undefined ? null : arrivalOf(state, oldest[1]),
      };
    },

    ...recordReads(state, setting),

    async entries(company_id, keys) {
      return entriesOf(company_id).filter(({ key }) => keys.includes(key));
    },
    async entriesOf(company_id, places) {
      return places.flatMap(
        ({ key, record }) => reconciliation_entries.get(entryKey({ company_id, key, record })) ?? [],
      );
    },
    async entriesBetween(company_id, { from, to }, after, limit) {
      const between = entriesOf(company_id).filter(({ key }) => key >= from && key <= to);
      return following(between, ({ key, record }) => [key, record.kind, record.id], after, limit);
    },

    async actsOn(company_id, records) {
      const wanted = new Set(records.map(itemIdOf));
      const concerning = reconciliation_acts
        .values()
        .filter((act) => act.company_id === company_id && recordsOfAct(act).some((own_id) => wanted.has(own_id)));
      return concerning.sort((a, b) => a.id - b.id);
    },

    items: async (company_id, ids) => found(reconciliation_items, company_id, ids),

    async write({ company_id, inserted, updated, removed_ids, ...changes }) {
      for (const id of removed_ids) reconciliation_items.delete(id);
      for (const item of inserted) {
        assert(!reconciliation_items.has(item.id), `item ${item.id} is inserted, and exists`);
        reconciliation_items.set(item.id, item);
      }
      for (const item of updated) {
        assert(reconciliation_items.has(item.id), `item ${item.id} is updated, and does not exist`);
        reconciliation_items.set(item.id, item);
      }
      for (const entry of changes.entries_inserted) {
        const key = entryKey(entry);
        assert(!reconciliation_entries.has(key), `entry ${key} is inserted, and exists`);
        reconciliation_entries.set(key, entry);
      }
      for (const entry of changes.entries_updated) {
        const key = entryKey(entry);
        assert(reconciliation_entries.has(key), `entry ${key} is updated, and does not exist`);
        reconciliation_entries.set(key, entry);
      }
      for (const entry of changes.entries_removed) reconciliation_entries.delete(entryKey(entry));
      for (const cell of changes.cells) addTo(reconciliation_cells, company_id, cell, cellKeyOf(cell));
      for (const cell of changes.match_cells) addTo(reconciliation_match_cells, company_id, cell, matchCellKeyOf(cell));
      if (changes.break_days === null) return;
      const { added, kept_from } = changes.break_days;
      for (const cell of added) addTo(reconciliation_break_days, company_id, cell, breakDayKeyOf(cell));
      for (const [key, row] of reconciliation_break_days.entries()) {
        if (row.company_id === company_id && row.cell.day < kept_from) reconciliation_break_days.delete(key);
      }
    },

    async list(company_id, filter, page) {
      const placed = itemsOf(company_id)
        .filter((item) => fits(item, filter))
        .map((item) => ({ at_ms: item.opened_at_ms, id: item.id, item }));
      const { items, next } = listByTime(
        page.oldest_first ? 'reconciliation-items-oldest' : 'reconciliation-items',
        placed,
        page,
      );
      return { items: items.map(({ item }) => item), next };
    },

    nearItems: async (company_id, questions) =>
      questions.map((question) => nearItemsOf(itemsOf(company_id), entriesOf(company_id), question)),

    cells: async (company_id) => cellsOf(reconciliation_cells, company_id),
    matchCells: async (company_id) => cellsOf(reconciliation_match_cells, company_id),
    breakDays: async (company_id) => cellsOf(reconciliation_break_days, company_id),

    async allCells() {
      const sums = new CellSums<SummaryCell>(cellKeyOf);
      for (const { cell } of reconciliation_cells.values()) sums.add(cell, 1);
      return sums.different();
    },

    async keepLines(company_id, line_ids, is_kept) {
      const [before, after] = is_kept ? (['differs', 'kept'] as const) : (['kept', 'differs'] as const);
      for (const line of found(statement_lines, company_id, line_ids)) {
        if (line.standing === before) changeStanding(state, line, after);
      }
    },

    async assign(company_id, item_id, assignee) {
      for (const item of found(reconciliation_items, company_id, [item_id])) {
        reconciliation_items.set(item_id, { ...item, assignee });
      }
    },
    insertComment: async (comment) => reconciliation_comments.insert(comment),
    async commentsOn(company_id, records) {
      const wanted = new Set(records.map(itemIdOf));
      const its = reconciliation_comments
        .values()
        .filter((comment) => comment.company_id === company_id && wanted.has(comment.item_id));
      return its.sort((a, b) => a.id - b.id);
    },

    insertActs: async (acts) => acts.map((act) => insertAct(state, act)),

    ...periodStore(state),
    ...approvalStore(state),

    async recordsAfter(company_id, kind, after, limit) {
      const its = {
        authorization: () =>
          authorizations.values().filter(({ id, root_id, decline_code }) => root_id === id && decline_code === null),
        clearing: () => clearings.values(),
        line: () => statement_lines.values().filter(hasItemOfLine),
      }[kind]();
      const own = its.filter((row) => row.company_id === company_id);
      return oldestAfter<{ readonly id: number }>(own, after, limit).map(({ id }) => id);
    },

    async itemsByPeriod(company_id, range, after, limit) {
      const within = itemsOf(company_id).filter((item) => isInRange(item.period_date, range));
      return following<Item, Pick<Item, 'period_date' | 'id'>>(
        within,
        ({ period_date, id }) => [period_date!, id],
        after,
        limit,
      );
    },

    async itemsAfter(company_id, after, limit) {
      return following<Item, ItemPlace>(
        itemsOf(company_id),
        ({ status, opened_at_ms, id }) => [status, opened_at_ms, id],
        after,
        limit,
      );
    },

    async companiesAfter(after, limit) {
      return oldestAfter(companies.values(), after, limit).map(({ id }) => id);
    },
  };

  function fits(item: Item, filter: ItemFilter): boolean {
    const { settlement_date, due_date, booking_date, amount, reference, account_id, ...equal } = filter;
    const sums = [item.authorized, item.cleared, item.stated].filter((sum) => sum !== null);
    const due = item.status === 'break' && due_date?.with_later_breaks ? { ...due_date, to: no_end } : due_date;
    return (
      Object.entries(equal).every(([name, value]) => item[name as keyof Item] === value) &&
      isInRange(item.settlement_date, settlement_date) &&
      isInRange(item.booking_date, booking_date) &&
      isInRange(item.due_date, due) &&
      (amount === undefined || sums.some((sum) => isInRange(sum, amount))) &&
      (account_id === undefined || accounts.get(item.account_id ?? 0)?.number === account_id) &&
      (reference === undefined || hasReference(item, reference))
    );
  }

  function hasReference({ company_id, clearing_ids, line_ids }: Item, reference: string): boolean {
    const key = statementKeyOf(reference, setting);
    const own = new Set(recordsOf({ clearing_ids, line_ids }).map(itemIdOf));
    return (
      line_ids.some((id) => statement_lines.get(id)?.bank_reference === reference) ||
      (key !== null &&
        entriesOf(company_id).some((entry) => entry.key.endsWith(` ${key}`) && own.has(itemIdOf(entry.record))))
    );
  }
}

/** Counts of one kind, by company and their own key. */
type Cells<Cell> = Table<{ readonly company_id: number; readonly cell: Cell }, string>;

function cellsOf<Cell>(table: Cells<Cell>, company_id: number): readonly Cell[] {
  return table.values().flatMap((row) => (row.company_id === company_id ? row.cell : []));
}

/** Adds to the cell with the same key, and removes one that counts nothing. */
function addTo<Cell extends { readonly count: number; readonly sum?: number }>(
  table: Cells<Cell>,
  company_id: number,
  cell: Cell,
  cell_key: string,
): void {
  const key = `${company_id} ${cell_key}`;
  const known = table.get(key)?.cell;
  const count = (known?.count ?? 0) + cell.count;
  const sum = cell.sum === undefined ? {} : { sum: (known?.sum ?? 0) + cell.sum };
  if (count === 0) table.delete(key);
  else table.set(key, { company_id, cell: { ...cell, count, ...sum } });
}

/** When the record of a row of the inbox arrived. */
function arrivalOf({ accounts, authorizations, clearings, statement_lines }: State, { kind, record_id }: InboxRow) {
  const times = {
    authorization: () => authorizations.get(record_id)?.decided_at_ms,
    clearing: () => clearings.get(record_id)?.recorded_at_ms,
    line: () => statement_lines.get(record_id)?.recorded_at_ms,
    account: () => accounts.get(record_id)?.created_at_ms,
  };
  return times[kind]() ?? null;
}

function entryKey({ company_id, key, record }: Pick<Entry, 'company_id' | 'key' | 'record'>): string {
  return JSON.stringify([company_id, key, record.kind, record.id]);
}

/** The last date that there is. */
const no_end = '9999-12-31';

/** Records an act. Acts and the ledger both write acts this way. */
export function insertAct({ reconciliation_acts }: State, act: Omit<Act, 'id'>): Act {
  const id = reconciliation_acts.nextId();
  return reconciliation_acts.set(id, { ...act, id });
}

/** The act of a pass, whose subject is JSON text. */
export function actOf({ action, subject, ...row }: ReconciliationActRow): Omit<Act, 'id'> {
  return { ...row, action: action as ActKind, subject: JSON.parse(subject) };
}
