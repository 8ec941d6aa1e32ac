import { compareTexts, type ReconciliationStore } from '@tallystick/reconciliation';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';
import { found } from '../../storage/table.ts';
import { accountStore, changeStanding } from '../bank/accounts.ts';

/** Closed periods, and the items that they freeze. */
export function periodStore(state: State) {
  const { clearings, reconciliation_items, reconciliation_periods, statement_lines } = state;
  return {
    async insertPeriod(period) {
      return reconciliation_periods.insert(period);
    },
    async updatePeriod(period) {
      reconciliation_periods.assertHas(period.id, 'period');
      reconciliation_periods.set(period.id, period);
    },
    async listPeriods(company_id, page) {
      const its = reconciliation_periods.values().filter((period) => period.company_id === company_id);
      return newestFirst('reconciliation-periods', its, page);
    },
    async findPeriod(company_id, id) {
      return found(reconciliation_periods, company_id, [id])[0] ?? null;
    },
    async newestPeriod(company_id) {
      const its = reconciliation_periods
        .values()
        .filter((period) => period.company_id === company_id && period.status !== 'reopened');
      const [newest] = its.toSorted((a, b) => compareTexts(b.closed_through, a.closed_through) || b.id - a.id);
      return newest ?? null;
    },

    async lastRecords() {
      const lastOf = (ids: Iterable<number>) => [...ids].reduce((last, id) => Math.max(last, id), 0);
      return {
        last_clearing_id: lastOf(clearings.values().map(({ id }) => id)),
        last_line_id: lastOf(statement_lines.values().map(({ id }) => id)),
      };
    },

    async freeze({ id, company_id }, items) {
      for (const item of items) {
        reconciliation_items.set(item.id, { ...item, period_id: id, next_change_ms: null });
        if (item.kind === 'bank_line_differs') continue;
        for (const line of found(statement_lines, company_id, item.line_ids)) {
          const { statement_id, standing } = line;
          if (statement_id === null && standing !== 'kept') changeStanding(state, line, 'frozen');
        }
      }
    },

    async unfreeze({ id, company_id }, limit) {
      const frozen = reconciliation_items
        .values()
        .filter((item) => item.company_id === company_id && item.period_id === id);
      const first = frozen.sort((a, b) => a.id - b.id).slice(0, limit);
      for (const line of found(
        statement_lines,
        company_id,
        first.flatMap(({ line_ids }) => line_ids),
      )) {
        if (line.standing !== 'frozen') continue;
        const [is_covered] = await accountStore(state).areCovered([line]);
        changeStanding(state, line, is_covered ? 'differs' : null);
      }
      return first.map((item) => reconciliation_items.set(item.id, { ...item, period_id: null }));
    },
  } satisfies Partial<ReconciliationStore>;
}
