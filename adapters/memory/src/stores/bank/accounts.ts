import {
  type AccountStore,
  type BankReference,
  isCardLine,
  type LineContent,
  type LineKey,
  type ReferencedKey,
  type ReportedPlace,
  refuseTakenAccountNumber,
  type Statement,
  type StatementLine,
} from '@tallystick/accounts';
import { assert } from '@tallystick/kernel';
import { enterRecord } from '../../ledger/reconciliation-inbox.ts';
import { newestByDate, newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function accountStore(state: State): AccountStore {
  const { accounts, companies, statements, statement_lines, line_ids, line_counts } = state;
  const chainOf = (account_id: number): Statement[] =>
    statements
      .values()
      .filter((row) => row.account_id === account_id)
      .sort(inChain);
  const found = (keys: readonly string[]): readonly StatementLine[] => {
    const ids = new Set(keys.flatMap((key) => line_ids.get(key) ?? []));
    return [...ids].map((id) => statement_lines.get(id)!);
  };

  const store: AccountStore = {
    async insert(account) {
      companies.assertHas(account.company_id, 'company');
      if ((await store.findByNumber(account.number)) !== null) throw refuseTakenAccountNumber(account.number);
      return accounts.insert(account);
    },

    find: async (id) => accounts.get(id) ?? null,
    findByNumber: async (number) => accounts.values().find((row) => row.number === number) ?? null,
    // Transactions that write run one after another.
    lockByNumber: (number) => store.findByNumber(number),

    async lockAll() {},

    async list({ company_id }, page) {
      const its = accounts.values().filter((row) => company_id === undefined || row.company_id === company_id);
      return newestFirst('accounts', its, page);
    },

    async findFirst({ company_id, kind, currency }) {
      const its = accounts.values().filter((row) => row.company_id === company_id && row.kind === kind);
      const ids = its.filter((row) => row.currency === currency).map(({ id }) => id);
      return ids.length === 0 ? null : accounts.get(Math.min(...ids))!;
    },

    async updateEnds({ id, first_statement, last_statement }) {
      const account = accounts.get(id);
      if (account === undefined) return;
      accounts.set(id, { ...account, first_statement, last_statement });
      if (account.first_statement?.as_of === first_statement?.as_of) return;
      const { company_id } = account;
      enterRecord(state, { company_id, kind: 'account', record_id: id });
    },

    async insertStatements(inserted) {
      return inserted.map((statement) => {
        accounts.assertHas(statement.account_id, 'account');
        const is_taken = chainOf(statement.account_id).some((row) => inChain(row, statement) === 0);
        assert(!is_taken, `two statements of ${statement.as_of} have the position ${statement.position}`);
        return statements.insert(statement);
      });
    },

    statementsOf: async (account_id, as_of) => chainOf(account_id).filter((row) => row.as_of === as_of),
    statementBefore: async (account_id, as_of) => chainOf(account_id).findLast((row) => row.as_of < as_of) ?? null,
    statementOpening: async (account_id, as_of, opening_balance) =>
      chainOf(account_id).findLast((row) => row.as_of < as_of && row.opening_balance === opening_balance) ?? null,
    statementAfter: async (account_id, as_of) => chainOf(account_id).find((row) => row.as_of > as_of) ?? null,

    async statementsBetween(account_id, from, to) {
      return chainOf(account_id).filter(({ as_of }) => from <= as_of && as_of <= to);
    },
    async updateCoverage(changed) {
      for (const { id, covers_from } of changed) statements.change(id, { covers_from });
    },

    async recordLines(lines) {
      const recorded: LineKey[] = [];
      for (const line of lines) {
        const keys = keysOf(line);
        becomesStated(line);
        if (keys.some((key) => line_ids.has(key))) continue;
        const id = statement_lines.nextId();
        statement_lines.set(id, { ...line, id });
        for (const key of keys) line_ids.set(key, id);
        const { account_id, bank_reference, booking_date, amount, bai_code, occurrence, statement_id, place } = line;
        recorded.push({ account_id, bank_reference, booking_date, amount, bai_code, occurrence, statement_id, place });
        const group =
          bank_reference === null ? contentKey(account_id, line) : referenceKey({ account_id, bank_reference });
        const count = (line_counts.get(group) ?? 0) + 1;
        line_counts.set(group, count);
        if (bank_reference !== null) line_ids.set(placeInGroup(group, count), id);
        const { company_id } = line;
        if (bank_reference !== null && statement_id !== null) {
          const reported = statement_lines.get(line_ids.get(reportedKey({ account_id, bank_reference })) ?? 0);
          if (reported?.standing === 'differs') {
            enterRecord(state, { company_id, kind: 'line', record_id: reported.id });
          }
        }
        if (!isCardLine(line) && line.standing === null) continue;
        enterRecord(state, { company_id, kind: 'line', record_id: id });
      }
      return recorded;
    },

    areCovered: async (places) => places.map(isCovered),

    async compareReported({ account_id, from, to }, after, limit) {
      const its = statement_lines
        .values()
        .filter((line) => line.account_id === account_id && line.statement_id === null)
        .filter(({ standing }) => standing === null || standing === 'differs')
        .filter((line) => from <= line.booking_date && line.booking_date <= to)
        .filter((line) => after === null || comparePlaces(line, after) > 0);
      const compared = its.toSorted(comparePlaces).slice(0, limit);
      for (const line of compared) changeStanding(state, line, isCovered(line) ? 'differs' : null);
      return compared.length < limit ? null : (compared.at(-1) ?? null);
    },

    async linesByReference(references) {
      return references.flatMap((reference) => {
        const group = referenceKey(reference);
        const its = found(Array.from({ length: line_counts.get(group) ?? 0 }, (_, at) => placeInGroup(group, at + 1)));
        return its.find(({ statement_id }) => statement_id === null) ?? its[0] ?? [];
      });
    },
    linesByKey: async (keys) => found(keys.map(lineKey)),
    countUnreferenced: async (account_id, contents) =>
      contents.map((content) => line_counts.get(contentKey(account_id, content)) ?? 0),
    lastPlace: async (statement_id) => {
      const its = statement_lines.values().filter((row) => row.statement_id === statement_id);
      return Math.max(0, ...its.map(({ place }) => place ?? 0));
    },

    async listLines(account_id, { from = '', to = '9999-12-31' }, page) {
      const its = statement_lines.values().filter((row) => row.account_id === account_id);
      const within = its.filter(({ booking_date }) => from <= booking_date && booking_date <= to);
      return newestByDate('statement_lines', within, ({ booking_date }) => booking_date, page);
    },
  };
  return store;

  function isCovered({ account_id, booking_date }: Pick<StatementLine, 'account_id' | 'booking_date'>): boolean {
    const covering = chainOf(account_id).find((row) => row.as_of >= booking_date && row.covers_from !== null);
    return covering !== undefined && covering.covers_from! <= booking_date;
  }

  /** The line that the bank reported by itself with this key becomes that of the statement. */
  function becomesStated(line: Omit<StatementLine, 'id'>): void {
    const { account_id, bank_reference, statement_id, place } = line;
    if (bank_reference === null || statement_id === null || place === null) return;
    const [reported] = found([lineKey({ ...line, bank_reference })]);
    if (reported === undefined || reported.statement_id !== null) return;
    changeStanding(state, reported, null);
    statement_lines.change(reported.id, { statement_id, place });
    line_ids.delete(reportedKey({ account_id, bank_reference }));
    line_ids.set(placeKey({ statement_id, place }), reported.id);
  }
}

/** Changes how a line stands beside the statements. */
export function changeStanding(
  state: State,
  { id, company_id, standing: before }: StatementLine,
  standing: StatementLine['standing'],
): void {
  if (before === standing) return;
  state.statement_lines.change(id, { standing });
  enterRecord(state, { company_id, kind: 'line', record_id: id });
}

function comparePlaces(a: ReportedPlace, b: ReportedPlace): number {
  if (a.booking_date !== b.booking_date) return a.booking_date < b.booking_date ? -1 : 1;
  return a.id - b.id;
}

function inChain(a: Omit<Statement, 'id'>, b: Omit<Statement, 'id'>): number {
  if (a.as_of !== b.as_of) return a.as_of < b.as_of ? -1 : 1;
  return a.position - b.position;
}

/** What no other line has. */
function keysOf(line: Omit<StatementLine, 'id'>): readonly string[] {
  const { account_id, bank_reference, statement_id, place } = line;
  return [
    ...(bank_reference === null ? [] : [lineKey({ ...line, bank_reference })]),
    ...(bank_reference === null || statement_id !== null ? [] : [reportedKey({ account_id, bank_reference })]),
    ...(statement_id === null || place === null ? [] : [placeKey({ statement_id, place })]),
  ];
}

function lineKey({ account_id, bank_reference, booking_date, amount, bai_code, occurrence }: ReferencedKey): string {
  return JSON.stringify(['line', account_id, bank_reference, booking_date, amount, bai_code, occurrence]);
}

function referenceKey({ account_id, bank_reference }: BankReference): string {
  return JSON.stringify(['reference', account_id, bank_reference]);
}

function reportedKey({ account_id, bank_reference }: BankReference): string {
  return JSON.stringify(['reported', account_id, bank_reference]);
}

function contentKey(account_id: number, { booking_date, amount, bai_code }: LineContent): string {
  return JSON.stringify(['content', account_id, booking_date, amount, bai_code]);
}

function placeInGroup(group: string, count: number): string {
  return `${group} ${count}`;
}

function placeKey(key: { readonly statement_id: number; readonly place: number }): string {
  return JSON.stringify(['place', key.statement_id, key.place]);
}
