import { type AccountBalance, type BankStore, currentBalance } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Session, Tables } from '../connection/session.ts';
import { accountOf } from './accounts.ts';
import { isOneOf } from './json-rows.ts';

type BankBalances = Pick<BankStore, 'balancesOf' | 'putBalance' | 'moveBalance'>;

/** The balances of accounts. */
export function bankBalances({ db, dialect }: Session): BankBalances {
  const store: BankBalances = {
    async balancesOf(account_ids) {
      if (account_ids.length === 0) return [];
      const accounts = await db
        .selectFrom('accounts')
        .selectAll()
        .where(isOneOf(dialect, 'id', account_ids))
        .execute();
      const reported = await db
        .selectFrom('account_balances')
        .selectAll()
        .where(isOneOf(dialect, 'account_id', account_ids))
        .execute();
      const by_account = new Map(reported.map((row) => [row.account_id, row]));
      return accounts.map((row: Selectable<Tables['accounts']>) =>
        currentBalance(accountOf(row), by_account.get(row.id) ?? null),
      );
    },

    async putBalance(balance) {
      const row = await db
        .insertInto('account_balances')
        .values(balance)
        .onConflict((conflict) =>
          conflict
            .column('account_id')
            .doUpdateSet(({ ref }) => ({
              booked: ref('excluded.booked'),
              available: ref('excluded.available'),
              credit_line: ref('excluded.credit_line'),
              as_of_ms: ref('excluded.as_of_ms'),
            }))
            .where(sql<boolean>`excluded.as_of_ms >= account_balances.as_of_ms`),
        )
        .returning('account_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async moveBalance(account_id, amount, at_ms) {
      const [before] = await store.balancesOf([account_id]);
      // A row that exists is locked by the update, and the sums are those of the locked row.
      await db
        .insertInto('account_balances')
        .values(before ?? { account_id, booked: money(0), available: money(0), credit_line: null, as_of_ms: at_ms })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const [locked] = await sql<AccountBalance>`select * from account_balances where account_id = ${account_id}
        ${dialect === 'postgres' ? sql`for update` : sql``}`
        .execute(db)
        .then(({ rows }) => rows);
      const account = await db
        .selectFrom('accounts')
        .selectAll()
        .where('id', '=', account_id)
        .executeTakeFirstOrThrow();
      const current = currentBalance(accountOf(account), locked!);
      const moved: AccountBalance = {
        ...current,
        booked: money(current.booked + amount),
        available: money(current.available + amount),
        as_of_ms: Math.max(current.as_of_ms, at_ms),
      };
      await db.updateTable('account_balances').set(moved).where('account_id', '=', account_id).execute();
      return moved;
    },
  };
  return store;
}
