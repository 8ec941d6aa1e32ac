import type { StatementLine } from '@tallystick/accounts';
import { afterId, cursor } from '@tallystick/kernel';
import type { LastRecords, Period, ReconciliationStore } from '@tallystick/reconciliation';
import type { Session } from '../../connection/session.ts';
import { columnsOf } from '../../schema/tables/columns.ts';
import { ReconciliationPeriod } from '../../schema/tables/reconciliation.ts';
import { accountStore } from '../bank/accounts.ts';
import { type ItemRow, itemOf } from './item-rows.ts';
import type { Queries } from './query.ts';

/** Closed periods, and the items that they freeze. */
export function periodStore({ all, run, list, from_ids }: Queries, session: Session) {
  return {
    async insertPeriod(period) {
      const [row] = await all<{ id: number }>(
        `insert into tallystick_reconciliation_periods (${period_columns}) values (${period_columns.map(() => '?')}) returning id`,
        ...valuesOf(period),
      );
      return { ...period, id: row!.id };
    },

    async updatePeriod(period) {
      await run(
        `update tallystick_reconciliation_periods set ${period_columns.map((name) => `${name} = ?`)} where id = ?`,
        ...valuesOf(period),
        period.id,
      );
    },

    async listPeriods(company_id, page) {
      const after = afterId(periods_list, page);
      const rows = await all<Period>(
        `select * from tallystick_reconciliation_periods where company_id = ? and id < ? order by id desc limit ? offset ?`,
        company_id,
        after ?? Number.MAX_SAFE_INTEGER,
        page.limit + 1,
        page.offset ?? 0,
      );
      const items = rows.slice(0, page.limit);
      return { items, next: rows.length > page.limit ? cursor(periods_list, items.at(-1)!.id) : null };
    },

    async findPeriod(company_id, id) {
      const sql = 'select * from tallystick_reconciliation_periods where company_id = ? and id = ?';
      return (await all<Period>(sql, company_id, id))[0] ?? null;
    },

    async newestPeriod(company_id) {
      const [row] = await all<Period>(
        `select * from tallystick_reconciliation_periods where company_id = ? and status <> 'reopened'
          order by closed_through desc, id desc limit 1`,
        company_id,
      );
      return row ?? null;
    },

    async lastRecords() {
      const [last] = await all<LastRecords>(
        `select coalesce((select max(id) from tallystick_clearings), 0) as last_clearing_id,
          coalesce((select max(id) from tallystick_statement_lines), 0) as last_line_id`,
      );
      return last!;
    },

    async freeze({ id, company_id }, items) {
      await run(
        `update tallystick_reconciliation_items set period_id = ?, next_change_ms = null
          where id in (select value from ${from_ids}) and +company_id = ?`,
        id,
        list(items.map((item) => item.id)),
        company_id,
      );
      await run(
        `update tallystick_statement_lines set standing = 'frozen' where id in (select value from ${from_ids})
          and statement_id is null and (standing is null or standing = 'differs')`,
        list(items.flatMap(({ kind, line_ids }) => (kind === 'bank_line_differs' ? [] : line_ids))),
      );
    },

    async unfreeze({ id, company_id }, limit) {
      const rows = await all<ItemRow>(
        `update tallystick_reconciliation_items set period_id = null where id in (
          select id from tallystick_reconciliation_items where period_id = ? order by id limit ?) and +company_id = ? returning *`,
        id,
        limit,
        company_id,
      );
      const items = rows.map(itemOf);
      await thaw(items.flatMap(({ line_ids }) => line_ids));
      return items;
    },
  } satisfies Partial<ReconciliationStore>;

  /** Compares lines that were frozen with the statements, with their accounts locked. */
  async function thaw(line_ids: readonly number[]): Promise<void> {
    const frozen = await all<Pick<StatementLine, 'id' | 'account_id' | 'booking_date'>>(
      `select id, account_id, booking_date from tallystick_statement_lines
        where id in (select value from ${from_ids}) and standing = 'frozen'`,
      list(line_ids),
    );
    if (frozen.length === 0) return;
    const accounts = accountStore(session);
    await accounts.lockAll([...new Set(frozen.map(({ account_id }) => account_id))]);
    const covered = await accounts.areCovered(frozen);
    for (const [is_covered, its] of Map.groupBy(frozen, (_, at) => covered[at]!)) {
      await run(
        `update tallystick_statement_lines set standing = ? where id in (select value from ${from_ids}) and standing = 'frozen'`,
        is_covered ? 'differs' : null,
        list(its.map(({ id }) => id)),
      );
    }
  }
}

const periods_list = 'reconciliation-periods';

const period_columns = Object.keys(columnsOf(ReconciliationPeriod, 'id')) as (keyof Omit<Period, 'id'>)[];

function valuesOf(period: Omit<Period, 'id'>): readonly unknown[] {
  return period_columns.map((name) => period[name]);
}
