import {
  type AccountProfile,
  type BankAccount,
  type BankStore,
  type BankUser,
  bank_rows_max,
  type ThirdPartyService,
  user_list,
} from '@tallystick/accounts';
import { assert, isStorable, pageStart, twoWayPage } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import type { Session, Tables } from '../../connection/session.ts';
import { lockKey } from '../../schema/locks.ts';
import { AccountProfile as AccountProfileTable, BankUser as BankUserTable } from '../../schema/tables/bank.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { upsertRows } from '../queries/insert-rows.ts';
import { isOneOf, isOneOfTexts } from '../queries/json-rows.ts';
import { accountOf } from './accounts.ts';
import { bankBalances } from './bank-balances.ts';
import { bankOrders } from './bank-orders.ts';
import { bankTransactions } from './bank-transactions.ts';

/**
 * The advisory lock of the transactions that open accounts, or check and put users or profiles. Any
 * number, the same in all processes.
 */
const names_lock = 1_733_902_119;

export function bankStore(session: Session): BankStore {
  const { db, dialect } = session;
  const users = () => db.selectFrom('tallystick_bank_users').selectAll();
  const accounts = () => db.selectFrom('tallystick_accounts').selectAll();

  async function profilesOf(account_ids: readonly number[]): Promise<readonly AccountProfile[]> {
    if (account_ids.length === 0) return [];
    const its = db.selectFrom('tallystick_account_profiles').selectAll();
    return await its.where(isOneOf(dialect, 'account_id', account_ids)).execute();
  }

  /** The schemes of all profiles. There are few: the index leads from each one to the next. */
  async function schemes(): Promise<readonly string[]> {
    const first = sql`select min(scheme_name) as name from tallystick_account_profiles where scheme_name is not null`;
    const { rows } = await sql<{ name: string }>`with recursive schemes as (
        ${first} union all select (${first} and scheme_name > schemes.name) from schemes where name is not null
      ) select name from schemes where name is not null`.execute(db);
    return rows.map(({ name }) => name);
  }

  async function withProfiles(rows: readonly AccountRow[]): Promise<readonly BankAccount[]> {
    if (rows.length === 0) return [];
    const profiles = await profilesOf(rows.map(({ id }) => id));
    const by_account = new Map(profiles.map((profile) => [profile.account_id, profile]));
    return rows.map((row) => ({ ...accountOf(row), profile: by_account.get(row.id) ?? null }));
  }

  return {
    ...bankBalances(session),
    ...bankOrders(session),
    ...bankTransactions(session),

    async lockNames() {
      // On SQLite one transaction writes at a time.
      if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.raw(lockKey(names_lock))})`.execute(db);
    },

    async findUser(user_id) {
      if (!isStorable(user_id)) return null;
      const row = await users().where('user_id', '=', user_id).executeTakeFirst();
      return row === undefined ? null : userOf(row);
    },

    async listUsers({ company_id }, page) {
      const start = pageStart(user_list, page);
      const is_back = start?.direction === 'prev';
      let its = users()
        .orderBy('id', is_back ? 'desc' : 'asc')
        .limit(page.limit + 1);
      if (company_id !== undefined) its = its.where('company_id', '=', company_id);
      if (start !== null) its = its.where('id', is_back ? '<' : '>', start.place[0] as number);
      const read = twoWayPage(user_list, start, await its.execute(), page.limit, ({ id }) => [id]);
      return { ...read, items: read.items.map(userOf) };
    },

    async findCompany(company_id) {
      const company = await db
        .selectFrom('tallystick_companies')
        .select('status')
        .where('id', '=', company_id)
        .executeTakeFirst();
      if (company === undefined) return null;
      const row = await db
        .selectFrom('tallystick_bank_companies')
        .selectAll()
        .where('company_id', '=', company_id)
        .executeTakeFirst();
      return {
        company_id,
        is_active: company.status === 'active',
        eligible_services: row === undefined ? [] : servicesOf(row.eligible_services),
        is_configured: Boolean(row?.is_configured),
      };
    },

    async accountsByNumber(numbers) {
      if (numbers.length === 0) return [];
      const its = accounts().where(isOneOfTexts(dialect, 'number', numbers.filter(isStorable)));
      return await withProfiles(await its.orderBy('number').execute());
    },

    async findAccount(scheme_name, identification) {
      const profile = await db
        .selectFrom('tallystick_account_profiles')
        .select('account_id')
        .where('scheme_name', '=', scheme_name)
        .where('identification', '=', identification)
        .orderBy('account_id')
        .limit(1)
        .executeTakeFirst();
      const found =
        profile === undefined
          ? accounts().where('number', '=', identification)
          : accounts().where('id', '=', profile.account_id);
      return (await withProfiles(await found.execute()))[0] ?? null;
    },

    async companiesOfUsers(user_ids) {
      if (user_ids.length === 0) return new Map();
      const its = db.selectFrom('tallystick_bank_users').select(['user_id', 'company_id']);
      const rows = await its.where(isOneOfTexts(dialect, 'user_id', user_ids)).execute();
      return new Map(rows.map(({ user_id, company_id }) => [user_id, company_id]));
    },

    async putUsers(put) {
      assert(put.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
      if (put.length === 0) return;
      const rows = put.map((user) => ({
        ...user,
        eligible_services: JSON.stringify(user.eligible_services),
        configured_services: JSON.stringify(user.configured_services),
        viewable_accounts: JSON.stringify(user.viewable_accounts),
      }));
      await upsertRows(dialect, 'tallystick_bank_users', user_columns, ['user_id'], rows).execute(db);
    },

    async putCompany({ company_id, eligible_services, is_configured }) {
      const changes = {
        eligible_services: JSON.stringify(eligible_services),
        is_configured,
      };
      await db
        .insertInto('tallystick_bank_companies')
        .values({ company_id, ...changes })
        .onConflict((conflict) => conflict.column('company_id').doUpdateSet(changes))
        .execute();
    },

    profilesOf,

    async profilesByIdentification(identifications) {
      if (identifications.length === 0) return [];
      const found: AccountProfile[] = [];
      // The index begins with the scheme. With several in one query Postgres would use only that.
      for (const scheme_name of await schemes()) {
        const its = db.selectFrom('tallystick_account_profiles').selectAll().where('scheme_name', '=', scheme_name);
        found.push(...(await its.where(isOneOfTexts(dialect, 'identification', identifications)).execute()));
      }
      return found;
    },

    async putProfiles(profiles) {
      assert(profiles.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
      if (profiles.length === 0) return;
      await upsertRows(dialect, 'tallystick_account_profiles', profile_columns, ['account_id'], profiles).execute(db);
    },
  };
}

const user_columns = columnsOf(BankUserTable, 'id');

const profile_columns = columnsOf(AccountProfileTable);

type AccountRow = Selectable<Tables['tallystick_accounts']>;

function userOf({ id: _, ...row }: Selectable<Tables['tallystick_bank_users']>): BankUser {
  return {
    ...row,
    eligible_services: servicesOf(row.eligible_services),
    configured_services: servicesOf(row.configured_services),
    viewable_accounts: JSON.parse(row.viewable_accounts) as readonly string[],
    may_view_direct_debits: Boolean(row.may_view_direct_debits),
  };
}

function servicesOf(json: string): readonly ThirdPartyService[] {
  return JSON.parse(json) as readonly ThirdPartyService[];
}
