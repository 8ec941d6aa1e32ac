import {
  type BankStore,
  type BookedTransaction,
  bank_rows_max,
  compareTransactions,
  type TransactionBounds,
  type TransactionRow,
  type TransactionSource,
  transaction_list,
  transactionBounds,
  transactionId,
  transactionPlace,
} from '@tallystick/accounts';
import { assert, type PageStart, pageStart, twoWayPage } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { counts_sql } from '../../schema/tables/accounts.ts';
import { ShownTransaction as ShownTransactionTable } from '../../schema/tables/bank.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { isOneOfTexts } from '../queries/json-rows.ts';

type BankTransactions = Pick<BankStore, 'transactionsOf' | 'recordShown' | 'shownReferences'>;

interface Row extends TransactionRow, Omit<BookedTransaction, 'transaction_id'> {}

const tables: Readonly<Record<TransactionSource, RawBuilder<unknown>>> = {
  line: sql`(select * from tallystick_statement_lines where ${sql.raw(counts_sql)})`,
  shown: sql`tallystick_shown_transactions`,
};

const shared_columns = sql`id, account_id, bank_reference, booking_date, value_date, amount, bai_code, text,
  acquirer_reference, balance_after`;

const columns: Readonly<Record<TransactionSource, RawBuilder<unknown>>> = {
  line: sql`'line' as source, ${shared_columns}, null as merchant_name, null as merchant_category_code`,
  shown: sql`'shown' as source, ${shared_columns}, merchant_name, merchant_category_code`,
};

/** Booked transactions as Open Banking reads them, from both tables. */
export function bankTransactions({ db, dialect }: Session): BankTransactions {
  /** The rows of one source from the start of the page on, one more than the page needs. */
  async function rowsOf(
    source: TransactionSource,
    account_id: number,
    { above, below }: TransactionBounds,
    { is_first, is_back, limit }: { readonly is_first: boolean; readonly is_back: boolean; readonly limit: number },
  ): Promise<readonly Row[]> {
    const direction = sql.raw(is_back ? 'asc' : 'desc');
    const read = async (condition: RawBuilder<unknown>, count: number) => {
      const { rows } = await sql<Row>`select ${columns[source]} from ${tables[source]} as t
        where account_id = ${account_id} and ${condition}
        order by booking_date ${direction}, id ${direction} limit ${count}`.execute(db);
      return rows;
    };
    if (is_first || dialect === 'postgres') {
      const within = sql`(booking_date, id) > (${above[0]}, ${above[1]}) and (booking_date, id) < (${below[0]}, ${below[1]})`;
      return await read(within, limit + 1);
    }
    // SQLite finds no id by a comparison of pairs, because an id is its row number: it would read
    // all of the cursor's date up to the cursor.
    const [from, to] = [above[0], below[0]];
    const [date, id] = is_back ? above : below;
    const beyond = sql.raw(is_back ? '>' : '<');
    const of_date =
      date < from || date > to ? [] : await read(sql`booking_date = ${date} and id ${beyond} ${id}`, limit + 1);
    if (of_date.length > limit) return of_date;
    const others = is_back
      ? sql`booking_date > ${date} and booking_date <= ${to}`
      : sql`booking_date < ${date} and booking_date >= ${from}`;
    return [...of_date, ...(await read(others, limit + 1 - of_date.length))];
  }

  return {
    async transactionsOf(account_id, dates, page) {
      const start: PageStart | null = pageStart(transaction_list, page);
      const options = { is_first: start === null, is_back: start?.direction === 'prev', limit: page.limit };
      const found: Row[] = [];
      for (const source of ['line', 'shown'] as const) {
        found.push(...(await rowsOf(source, account_id, transactionBounds(source, dates, start), options)));
      }
      found.sort((a, b) => (options.is_back ? compareTransactions(b, a) : compareTransactions(a, b)));
      const read = twoWayPage(transaction_list, start, found.slice(0, page.limit + 1), page.limit, transactionPlace);
      return { ...read, items: read.items.map(bookedTransactionOf) };
    },

    async recordShown(rows) {
      assert(rows.length <= bank_rows_max, `at most ${bank_rows_max} transactions at once`);
      if (rows.length === 0) return 0;
      const inserted = insertRows(dialect, 'tallystick_shown_transactions', shown_columns, rows);
      return (await sql`${inserted} on conflict do nothing returning id`.execute(db)).rows.length;
    },

    async shownReferences(account_id, references) {
      if (references.length === 0) return [];
      const rows = await db
        .selectFrom('tallystick_shown_transactions')
        .select('bank_reference')
        .where('account_id', '=', account_id)
        .where(isOneOfTexts(dialect, 'bank_reference', references))
        .execute();
      return rows.map(({ bank_reference }) => bank_reference);
    },
  };
}

function bookedTransactionOf({ source, id, ...row }: Row): BookedTransaction {
  return { ...row, transaction_id: transactionId(source, id) };
}

const shown_columns = columnsOf(ShownTransactionTable, 'id');
