import {
  type Backtest,
  type BacktestStore,
  backtests_kept_max,
  backtests_max,
  type HistoryPlace,
  type RecordedDifference,
} from '@tallystick/cards';
import { afterId, cursor } from '@tallystick/kernel';
import { ledgerCard } from '../../ledger/ledger.ts';
import { newestFirst, oldestAfter } from '../../storage/paging.ts';
import { type BacktestRow, isLeased, type State } from '../../storage/state.ts';

export function backtestStore(state: State): BacktestStore {
  const { backtests, backtest_differences, authorizations, clearings, card_acts, cards, templates } = state;
  const rowsOf = (company_id: number) =>
    backtests.values().filter((row) => row.company_id === company_id && !row.is_removed);
  const isOpen = ({ status }: Backtest) => status === 'pending' || status === 'running';
  const differencesOf = (backtest_id: number) =>
    backtest_differences.values().filter((difference) => difference.backtest_id === backtest_id);

  return {
    async insert(backtest) {
      if (rowsOf(backtest.company_id).filter(isOpen).length >= backtests_max) return null;
      const id = backtests.nextId();
      backtests.set(id, { ...backtest, id, is_removed: false, lease: null, turn_ended_ms: 0 });
      const ended = rowsOf(backtest.company_id).filter((row) => !isOpen(row));
      for (const row of ended.sort((a, b) => b.id - a.id).slice(backtests_kept_max)) {
        backtests.set(row.id, { ...row, is_removed: true });
      }
      return { ...backtest, id };
    },

    async find(company_id, id) {
      const row = rowsOf(company_id).find((one) => one.id === id);
      return row === undefined ? null : backtestOf(row);
    },

    async list(company_id, page) {
      return newestFirst('backtests', rowsOf(company_id).map(backtestOf), page);
    },

    async differences(backtest_id, page) {
      const after = afterId('backtest_differences', page) ?? 0;
      const its = oldestAfter(differencesOf(backtest_id), after, Number.POSITIVE_INFINITY).slice(page.offset ?? 0);
      const items = its.slice(0, page.limit).map(({ backtest_id: _backtest_id, ...item }): RecordedDifference => item);
      const next = its.length > page.limit ? cursor('backtest_differences', items.at(-1)!.id) : null;
      return { items, next };
    },

    async remove(company_id, id) {
      const row = rowsOf(company_id).find((one) => one.id === id);
      if (row === undefined) return false;
      backtests.set(id, { ...row, is_removed: true, lease: null });
      return true;
    },

    async claim({ token, machine_ms, until_machine_ms }, id) {
      const [row] = backtests
        .values()
        .filter((one) => isOpen(one) && !one.is_removed && (id === undefined || one.id === id))
        .filter(({ lease }) => !isLeased(lease ?? undefined, machine_ms))
        .sort((a, b) => a.turn_ended_ms - b.turn_ended_ms || a.id - b.id);
      if (row === undefined) return null;
      const claimed = { ...row, status: 'running', card_messages: 0, lease: { token, until_machine_ms } } as const;
      backtests.set(row.id, claimed);
      for (const { id: found, card_id } of differencesOf(row.id)) {
        if (card_id > row.last_card_id) backtest_differences.delete(found);
      }
      return backtestOf(claimed);
    },

    async save(backtest, token, until_machine_ms, differences) {
      const row = backtests.get(backtest.id);
      if (row?.lease?.token !== token) return false;
      const lease = until_machine_ms === null ? null : { token, until_machine_ms };
      const turn_ended_ms = until_machine_ms ?? row.lease.until_machine_ms;
      backtests.set(backtest.id, { ...row, ...backtest, lease, turn_ended_ms });
      for (const difference of differences) {
        const id = backtest_differences.nextId();
        backtest_differences.set(id, { ...difference, id, backtest_id: backtest.id });
      }
      return true;
    },

    async purge(before_ms, limit) {
      const all_over = backtests
        .values()
        .filter((row) => row.is_removed || (row.created_at_ms < before_ms && !isOpen(row)));
      const [over] = oldestAfter(all_over, 0, 1);
      if (over === undefined) return 0;
      const found = differencesOf(over.id).slice(0, limit);
      for (const { id } of found) backtest_differences.delete(id);
      if (found.length === 0) backtests.delete(over.id);
      return Math.max(1, found.length);
    },

    async authorizationsAfter(places, limit) {
      return pagesOf(authorizations.values(), places, limit, ({ id }) => id);
    },

    async clearingsAfter(places, limit) {
      return pagesOf(clearings.values(), places, limit, ({ id }) => id);
    },

    async actsAfter(places, limit) {
      return pagesOf(card_acts.values(), places, limit, ({ event_id }) => event_id);
    },

    async cardsAfter(company_id, after_id, limit) {
      const its = cards.values().filter((card) => card.company_id === company_id);
      return oldestAfter(its, after_id, limit).map(({ id, created_at_ms }) => {
        return { card: ledgerCard(state, id), created_at_ms };
      });
    },

    async countCards(company_id) {
      return cards.values().filter((card) => card.company_id === company_id).length;
    },

    async replayedTemplate(template_id) {
      const template = templates.get(template_id);
      if (template === undefined) return null;
      const { mcc_rule, mcc_list, merchant_controls, version, required_control } = template;
      return { mcc_rule, mcc_list, merchant_controls, version, required_control };
    },
  };
}

function pagesOf<Row extends { readonly card_id: number }>(
  rows: readonly Row[],
  places: readonly HistoryPlace[],
  limit: number,
  idOf: (row: Row) => number,
): readonly Row[] {
  return places.flatMap(({ card_id, after_id }) =>
    rows
      .filter((row) => row.card_id === card_id && idOf(row) > after_id)
      .sort((a, b) => idOf(a) - idOf(b))
      .slice(0, limit),
  );
}

function backtestOf({ is_removed: _is_removed, lease: _lease, turn_ended_ms: _ended, ...row }: BacktestRow): Backtest {
  return row;
}
