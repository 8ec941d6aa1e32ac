import {
  type Account,
  type AccountStore,
  type LineContent,
  type LineKey,
  type ReportedPlace,
  refuseTakenAccountNumber,
  type Statement,
  type StatementEnd,
  type StatementLine,
} from '@tallystick/accounts';
import type { Money } from '@tallystick/kernel';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { StatementLine as StatementLineTable, Statement as StatementTable } from '../../schema/tables/accounts.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';
import { readNewestByDate, readNewestFirst } from '../queries/paging.ts';

export function accountStore(session: Session): AccountStore {
  const { db, dialect } = session;
  const accounts = () => db.selectFrom('tallystick_accounts').selectAll();
  const statements = (account_id: number) =>
    db.selectFrom('tallystick_statements').selectAll().where('account_id', '=', account_id);

  return {
    async insert(account) {
      const { first_statement, last_statement, ...fields } = account;
      const row = await db
        .insertInto('tallystick_accounts')
        .values({ ...fields, ...endColumns({ first_statement, last_statement }) })
        // Waits for another transaction that inserts the same number.
        .onConflict((conflict) => conflict.column('number').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw refuseTakenAccountNumber(account.number);
      return accountOf(row);
    },

    async find(id) {
      return accountOrNull(await accounts().where('id', '=', id).executeTakeFirst());
    },

    async findByNumber(number) {
      return accountOrNull(await accounts().where('number', '=', number).executeTakeFirst());
    },

    async lockByNumber(number) {
      return accountOrNull(await lockForUpdate(session, accounts().where('number', '=', number)).executeTakeFirst());
    },

    async lockAll(ids) {
      const locked = db
        .selectFrom('tallystick_accounts')
        .select('id')
        .where(isOneOf(dialect, 'id', ids));
      if (ids.length > 0) await lockForUpdate(session, locked.orderBy('number')).execute();
    },

    list({ company_id }, page) {
      const its = company_id === undefined ? accounts() : accounts().where('company_id', '=', company_id);
      return readNewestFirst('accounts', its, page, accountOf);
    },

    async findFirst({ company_id, kind, currency }) {
      const its = accounts()
        .where('company_id', '=', company_id)
        .where('kind', '=', kind)
        .where('currency', '=', currency);
      return accountOrNull(await its.orderBy('id').limit(1).executeTakeFirst());
    },

    async updateEnds({ id, ...ends }) {
      await db.updateTable('tallystick_accounts').set(endColumns(ends)).where('id', '=', id).execute();
    },

    async insertStatements(inserted) {
      if (inserted.length === 0) return [];
      const rows = insertRows(dialect, 'tallystick_statements', statement_columns, inserted);
      return (await sql<PlacedStatementRow>`${rows} returning id, account_id, as_of, position`.execute(db)).rows;
    },

    statementsOf: (account_id, as_of) =>
      statements(account_id).where('as_of', '=', as_of).orderBy('position').execute(),

    async statementBefore(account_id, as_of) {
      const before = statements(account_id).where('as_of', '<', as_of);
      const row = await before.orderBy('as_of', 'desc').orderBy('position', 'desc').limit(1).executeTakeFirst();
      return row ?? null;
    },

    async statementOpening(account_id, as_of, opening_balance) {
      const opening = statements(account_id).where('opening_balance', '=', opening_balance).where('as_of', '<', as_of);
      const row = await opening.orderBy('as_of', 'desc').orderBy('position', 'desc').limit(1).executeTakeFirst();
      return row ?? null;
    },

    async statementAfter(account_id, as_of) {
      const after = statements(account_id).where('as_of', '>', as_of);
      return (await after.orderBy('as_of').orderBy('position').limit(1).executeTakeFirst()) ?? null;
    },

    async statementsBetween(account_id, from, to) {
      const within = statements(account_id).where('as_of', '>=', from).where('as_of', '<=', to);
      return await within.orderBy('as_of').orderBy('position').execute();
    },

    async updateCoverage(changed) {
      if (changed.length === 0) return;
      const wanted = jsonRows(dialect, coverage_columns, changed);
      await sql`update tallystick_statements set covers_from = w.covers_from from ${wanted} as w
        where tallystick_statements.id = w.id`.execute(db);
    },

    async recordLines(lines) {
      if (lines.length === 0) return [];
      const stated = lines.filter(
        ({ statement_id, bank_reference }) => statement_id !== null && bank_reference !== null,
      );
      if (stated.length > 0) {
        const wanted = jsonRows(dialect, stated_columns, stated);
        await sql`update tallystick_statement_lines as l set statement_id = w.statement_id, place = w.place, standing = null
          from ${wanted} as w where ${isOfKey} and l.statement_id is null`.execute(db);
      }
      const inserted = insertRows(dialect, 'tallystick_statement_lines', line_columns, lines);
      const { rows } = await sql<LineKey>`${inserted} on conflict do nothing
        returning account_id, bank_reference, booking_date, amount, bai_code, occurrence, statement_id, place`.execute(
        db,
      );
      return rows;
    },

    async areCovered(places) {
      if (places.length === 0) return [];
      const numbered = places.map(({ account_id, booking_date }, at) => ({ at, account_id, booking_date }));
      const wanted = jsonRows(dialect, { at: 'integer', account_id: 'integer', booking_date: 'text' }, numbered);
      const { rows } = await sql<{ at: number }>`select l.at from ${wanted} as l where ${isCovered}`.execute(db);
      const covered = new Set(rows.map(({ at }) => Number(at)));
      return numbered.map(({ at }) => covered.has(at));
    },

    async compareReported({ account_id, from, to }, after, limit) {
      const { rows } = await sql<ComparedRow>`select l.id, l.booking_date, l.standing,
          case when ${isCovered} then 'differs' end as compared from tallystick_statement_lines as l
        where l.account_id = ${account_id} and l.booking_date >= ${after?.booking_date ?? from} and l.booking_date <= ${to}
        and (l.booking_date, l.id) > (${after?.booking_date ?? ''}, ${after?.id ?? 0})
        and l.statement_id is null and (l.standing is null or l.standing = 'differs')
        order by l.booking_date, l.id limit ${limit}`.execute(db);
      const changed = rows.filter(({ standing, compared }) => standing !== compared);
      for (const [standing, its] of Map.groupBy(changed, ({ compared }) => compared)) {
        const ids = its.map(({ id }) => id);
        // A person may have kept one meanwhile.
        await sql`update tallystick_statement_lines set standing = ${standing} where ${isOneOf(dialect, 'id', ids)}
          and statement_id is null and (standing is null or standing = 'differs')`.execute(db);
      }
      return rows.length < limit ? null : (rows.at(-1) ?? null);
    },

    async linesByReference(references) {
      if (references.length === 0) return [];
      const wanted = jsonRows(dialect, reference_columns, references);
      const first = (condition: RawBuilder<unknown>) => sql`(select o.id from tallystick_statement_lines as o
        where o.account_id = w.account_id and o.bank_reference = w.bank_reference and ${condition} limit 1)`;
      const [reported, any] = [sql`o.statement_id is null`, sql`o.bank_reference is not null`].map(first);
      const { rows } = await sql<StatementLine>`select l.* from ${wanted} as w join tallystick_statement_lines as l
        on l.id = coalesce(${reported}, ${any})`.execute(db);
      return rows;
    },

    async linesByKey(keys) {
      if (keys.length === 0) return [];
      const wanted = jsonRows(dialect, key_columns, keys);
      const { rows } = await sql<StatementLine>`select l.* from ${wanted} as w join tallystick_statement_lines as l
        on ${isOfKey}`.execute(db);
      return rows;
    },

    async countUnreferenced(account_id, contents) {
      if (contents.length === 0) return [];
      const keyOf = ({ booking_date, amount, bai_code }: LineContent) => `${booking_date} ${amount} ${bai_code}`;
      // Of equal ones one is counted: a file can have a thousand lines with one content.
      const different = [...new Map(contents.map((one) => [keyOf(one), one])).values()];
      const wanted = jsonRows(dialect, content_columns, different);
      const { rows } = await sql<LineContent & { count: number }>`select w.*, (
          select count(*) from tallystick_statement_lines as l where l.account_id = ${account_id}
          and l.booking_date = w.booking_date and l.amount = w.amount and l.bai_code = w.bai_code
          and l.bank_reference is null
        ) as count from ${wanted} as w`.execute(db);
      const counts = new Map(rows.map((row) => [keyOf(row), Number(row.count)]));
      return contents.map((one) => counts.get(keyOf(one))!);
    },

    async lastPlace(statement_id) {
      const its = db.selectFrom('tallystick_statement_lines').select('place').where('statement_id', '=', statement_id);
      return (await its.orderBy('place', 'desc').limit(1).executeTakeFirst())?.place ?? 0;
    },

    listLines(account_id, { from, to }, page) {
      let its = db.selectFrom('tallystick_statement_lines').selectAll().where('account_id', '=', account_id);
      if (from !== undefined) its = its.where('booking_date', '>=', from);
      if (to !== undefined) its = its.where('booking_date', '<=', to);
      return readNewestByDate(session, 'statement_lines', its, 'booking_date', page);
    },
  };
}

const statement_columns = columnsOf(StatementTable, 'id');

const line_columns = columnsOf(StatementLineTable, 'id');

const reference_columns = { account_id: 'integer', bank_reference: 'text' } as const;

const content_columns = { booking_date: 'text', amount: 'integer', bai_code: 'text' } as const;

const key_columns = { ...reference_columns, ...content_columns, occurrence: 'integer' } as const;

const stated_columns = { ...key_columns, statement_id: 'integer', place: 'integer' } as const;

const coverage_columns = { id: 'integer', covers_from: 'text' } as const;

/** Whether a line `l` has the key of a wanted one `w`. */
const isOfKey = sql`l.account_id = w.account_id and l.bank_reference = w.bank_reference
  and l.booking_date = w.booking_date and l.amount = w.amount and l.bai_code = w.bai_code
  and l.occurrence = w.occurrence and l.bank_reference is not null`;

/** Whether a statement covers the booking date of a line `l`. */
const isCovered = sql<boolean>`(coalesce((select s.covers_from from tallystick_statements as s
  where s.account_id = l.account_id and s.as_of >= l.booking_date and s.covers_from is not null
  order by s.as_of, s.position limit 1) <= l.booking_date, false))`;

type ComparedRow = ReportedPlace & Pick<StatementLine, 'standing'> & { readonly compared: 'differs' | null };

type PlacedStatementRow = Pick<Statement, 'id' | 'account_id' | 'as_of' | 'position'>;

type AccountRow = Selectable<Tables['tallystick_accounts']>;

function endColumns({ first_statement, last_statement }: Pick<Account, 'first_statement' | 'last_statement'>) {
  return {
    first_statement_as_of: first_statement?.as_of ?? null,
    first_statement_balance: first_statement?.balance ?? null,
    last_statement_as_of: last_statement?.as_of ?? null,
    last_statement_balance: last_statement?.balance ?? null,
  };
}

export function accountOf({
  first_statement_as_of,
  first_statement_balance,
  last_statement_as_of,
  last_statement_balance,
  ...row
}: AccountRow): Account {
  return {
    ...row,
    first_statement: endOf(first_statement_as_of, first_statement_balance),
    last_statement: endOf(last_statement_as_of, last_statement_balance),
  };
}

function endOf(as_of: string | null, balance: Money | null): StatementEnd | null {
  return as_of === null || balance === null ? null : { as_of, balance };
}

function accountOrNull(row: AccountRow | undefined): Account | null {
  return row === undefined ? null : accountOf(row);
}
