import {
  type BankStore,
  bank_rows_max,
  type DirectDebit,
  type ScheduledPayment,
  type StandingOrder,
} from '@tallystick/accounts';
import {
  assert,
  pageStart,
  type TwoWayList,
  type TwoWayPage,
  type TwoWayPageRequest,
  twoWayPage,
} from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import {
  DirectDebit as DirectDebitTable,
  ScheduledPayment as ScheduledPaymentTable,
  StandingOrder as StandingOrderTable,
} from '../../schema/tables/bank.ts';
import { type ColumnKind, columnsOf } from '../../schema/tables/columns.ts';
import { upsertRows } from '../queries/insert-rows.ts';
import { isOneOf } from '../queries/json-rows.ts';

type OrderTable = 'direct_debits' | 'standing_orders' | 'scheduled_payments';

export function bankOrders({ db, dialect }: Session) {
  /** A page of the rows of these accounts, by account and then by id. */
  async function pageOf<Row extends { readonly id: number; readonly account_id: number }>(
    table: OrderTable,
    account_ids: readonly number[],
    condition: RawBuilder<unknown>,
    page: TwoWayPageRequest,
  ): Promise<TwoWayPage<Row>> {
    const list: TwoWayList = { list: table, parts: ['id', 'id'] };
    const start = pageStart(list, page);
    const is_back = start?.direction === 'prev';
    const [account_id, id] = (start?.place ?? []) as readonly number[];
    const beyond =
      start === null ? sql`true` : sql`(account_id, id) ${sql.raw(is_back ? '<' : '>')} (${account_id}, ${id})`;
    const direction = sql.raw(is_back ? 'desc' : 'asc');
    const { rows } = await sql<Row>`select * from ${sql.table(`tallystick_${table}`)}
      where ${isOneOf(dialect, 'account_id', account_ids)} and ${condition} and ${beyond}
      order by account_id ${direction}, id ${direction} limit ${page.limit + 1}`.execute(db);
    return twoWayPage(list, start, rows, page.limit, (row) => [row.account_id, row.id]);
  }

  async function put(table: OrderTable, columns: Columns, reference: string, rows: readonly object[]): Promise<void> {
    assert(rows.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
    if (rows.length === 0) return;
    await upsertRows(dialect, `tallystick_${table}`, columns, ['account_id', reference], rows).execute(db);
  }

  return {
    activeDirectDebits: (account_ids, page) =>
      pageOf<DirectDebit>('direct_debits', account_ids, sql`status = 'active'`, page),
    pendingStandingOrders: (account_ids, today, page) =>
      pageOf<StandingOrder>(
        'standing_orders',
        account_ids,
        sql`status = 'active' and next_payment_on >= ${today}`,
        page,
      ),
    pendingScheduledPayments: (account_ids, today, page) =>
      pageOf<ScheduledPayment>(
        'scheduled_payments',
        account_ids,
        sql`status = 'pending' and scheduled_on >= ${today}`,
        page,
      ),
    putDirectDebits: (rows) => put('direct_debits', direct_debit_columns, 'mandate_reference', rows),
    putStandingOrders: (rows) => put('standing_orders', standing_order_columns, 'reference', rows),
    putScheduledPayments: (rows) => put('scheduled_payments', scheduled_payment_columns, 'reference', rows),
  } satisfies Partial<BankStore>;
}

type Columns = Readonly<Record<string, ColumnKind>>;

const direct_debit_columns = columnsOf(DirectDebitTable, 'id');

const standing_order_columns = columnsOf(StandingOrderTable, 'id');

const scheduled_payment_columns = columnsOf(ScheduledPaymentTable, 'id');
