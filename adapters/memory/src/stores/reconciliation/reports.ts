import { card_line_codes, fee_line_codes, type StatementLine } from '@tallystick/accounts';
import {
  type BookedLine,
  type BookPlace,
  counted_acts,
  type MatchCell,
  type ReconciliationReports,
} from '@tallystick/reconciliation';
import type { State } from '../../storage/state.ts';

const fee_codes: ReadonlySet<string> = new Set(fee_line_codes);

export function reconciliationReports(state: State): ReconciliationReports {
  const { reconciliation_acts, reconciliation_entries, reconciliation_items, reconciliation_match_cells } = state;
  const lines = (): readonly BookedLine[] =>
    state.statement_lines.values().flatMap((row) => (row.standing === 'differs' ? [] : lineOf(row)));
  const itemsOf = (company_id: number) =>
    reconciliation_items.values().filter((item) => item.company_id === company_id);

  return {
    async sumBookedBefore(account_id, date) {
      const before = lines().filter((line) => line.account_id === account_id && line.booking_date < date);
      return before.reduce((sum, { amount }) => sum + amount, 0);
    },

    async bookedLines({ account_id, from, to }, after, limit) {
      const within = lines().filter(
        (line) =>
          line.account_id === account_id &&
          (from === null || line.booking_date >= from) &&
          (to === null || line.booking_date <= to) &&
          (after === null || comparePlaces(line, after) > 0),
      );
      return within.toSorted(comparePlaces).slice(0, limit);
    },

    async linesById(company_id, ids) {
      const wanted = new Set(ids);
      const its = state.statement_lines.values().filter((row) => row.company_id === company_id);
      const own = new Set(its.map(({ id }) => id));
      return lines().filter(({ id }) => own.has(id) && wanted.has(id));
    },

    async itemsOfLines(company_id, wanted) {
      const ids = new Set(wanted.map(({ id }) => id));
      const entries = reconciliation_entries
        .values()
        .filter(
          ({ record, ...entry }) => entry.company_id === company_id && record.kind === 'line' && ids.has(record.id),
        );
      return [...new Map(entries.map(({ record, item_id }) => [record.id, { line_id: record.id, item_id }])).values()];
    },

    async countMatches(company_id, { from, to }) {
      const is_all = from === undefined && to === undefined;
      const isWithin = ({ settlement_date: date }: MatchCell): boolean =>
        is_all || (date !== null && (from === undefined || date >= from) && (to === undefined || date <= to));
      const its = reconciliation_match_cells
        .values()
        .flatMap((row) => (row.company_id === company_id && isWithin(row.cell) ? row.cell : []));
      const groups = Map.groupBy(its, ({ rule, side }) => `${rule} ${side}`);
      return [...groups.values()].map((cells) => ({
        rule: cells[0]!.rule,
        side: cells[0]!.side,
        matches: cells.reduce((sum, { count }) => sum + count, 0),
      }));
    },

    async countActs(company_id) {
      const acts = reconciliation_acts.values().filter((act) => act.company_id === company_id);
      return counted_acts.flatMap((action) => {
        const rules = Map.groupBy(
          acts.filter((act) => act.action === action),
          ({ subject }) => subject.rule ?? null,
        );
        return [...rules].map(([rule, of_rule]) => ({ action, rule, acts: of_rule.length }));
      });
    },

    async countRecords(company_id) {
      const isOwn = (row: { readonly company_id: number }): boolean => row.company_id === company_id;
      const roots = state.authorizations.values().filter((row) => row.root_id === row.id && row.decline_code === null);
      return {
        authorization: roots.filter(isOwn).length,
        clearing: state.clearings.values().filter(isOwn).length,
        line: state.statement_lines.values().filter((row) => isOwn(row) && card_line_codes.includes(row.bai_code))
          .length,
        items: itemsOf(company_id).length,
      };
    },
  };
}

function lineOf(row: StatementLine): BookedLine {
  const { id, account_id, currency, booking_date, amount, bai_code, acquirer_reference } = row;
  const is_fee = fee_codes.has(bai_code);
  return { id, account_id, currency, booking_date, amount, bai_code, acquirer_reference, is_fee };
}

function comparePlaces(a: BookPlace, b: BookPlace): number {
  if (a.booking_date === b.booking_date) return a.id - b.id;
  return a.booking_date < b.booking_date ? -1 : 1;
}
