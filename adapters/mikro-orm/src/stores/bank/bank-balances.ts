import { type AccountBalance, type BankStore, bank_rows_max, currentBalance, movedBalance } from '@tallystick/accounts';
import { assert, money } from '@tallystick/kernel';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Session, Tables } from '../../connection/session.ts';
import { AccountBalance as AccountBalanceTable } from '../../schema/tables/bank.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { upsertRows } from '../queries/insert-rows.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { accountOf } from './accounts.ts';

type BankBalances = Pick<BankStore, 'balancesOf' | 'putBalances' | 'moveBalance'>;

export function bankBalances({ db, dialect }: Session): BankBalances {
  const store: BankBalances = {
    async balancesOf(account_ids) {
      if (account_ids.length === 0) return [];
      const accounts = await db
        .selectFrom('tallystick_accounts')
        .selectAll()
        .where(isOneOf(dialect, 'id', account_ids))
        .execute();
      const reported = await db
        .selectFrom('tallystick_account_balances')
        .selectAll()
        .where(isOneOf(dialect, 'account_id', account_ids))
        .execute();
      const by_account = new Map(reported.map((row) => [row.account_id, row]));
      return accounts.map((row: Selectable<Tables['tallystick_accounts']>) =>
        currentBalance(accountOf(row), by_account.get(row.id) ?? null),
      );
    },

    async putBalances(balances) {
      assert(balances.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
      if (balances.length === 0) return [];
      const before = await db
        .selectFrom('tallystick_account_balances')
        .select(['account_id', 'as_of_ms'])
        .where(
          isOneOf(
            dialect,
            'account_id',
            balances.map(({ account_id }) => account_id),
          ),
        )
        .execute();
      const known = new Map(before.map(({ account_id, as_of_ms }) => [account_id, as_of_ms]));
      const last = new Map<number, AccountBalance>();
      const are_new = balances.map((balance) => {
        const { account_id, as_of_ms } = balance;
        if (as_of_ms < (known.get(account_id) ?? as_of_ms)) return false;
        known.set(account_id, as_of_ms);
        last.set(account_id, balance);
        return true;
      });
      // All transactions lock balances in the order of their accounts.
      const rows = [...last.values()].toSorted((a, b) => a.account_id - b.account_id);
      const put = upsertRows(dialect, 'tallystick_account_balances', balance_columns, ['account_id'], rows);
      const { rows: stored } = await sql<{ account_id: number }>`${put}
        where excluded.as_of_ms >= tallystick_account_balances.as_of_ms returning account_id`.execute(db);
      // Where another transaction stored a later one meanwhile, all of the account's are older.
      const ids = new Set(stored.map(({ account_id }) => account_id));
      return balances.map(({ account_id }, at) => are_new[at]! && ids.has(account_id));
    },

    async moveBalance(account_id, amount, at_ms) {
      const [before] = await store.balancesOf([account_id]);
      // A row that exists is locked by the update, and the sums are those of the locked row.
      await db
        .insertInto('tallystick_account_balances')
        .values(before ?? { account_id, booked: money(0), available: money(0), credit_line: null, as_of_ms: at_ms })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const [locked] =
        await sql<AccountBalance>`select * from tallystick_account_balances where account_id = ${account_id}
        ${dialect === 'postgres' ? sql`for update` : sql``}`
          .execute(db)
          .then(({ rows }) => rows);
      const account = await db
        .selectFrom('tallystick_accounts')
        .selectAll()
        .where('id', '=', account_id)
        .executeTakeFirstOrThrow();
      const current = currentBalance(accountOf(account), locked!);
      const moved = movedBalance(current, amount, at_ms, account.currency);
      await db.updateTable('tallystick_account_balances').set(moved).where('account_id', '=', account_id).execute();
      return moved;
    },
  };
  return store;
}

const balance_columns = columnsOf(AccountBalanceTable);
