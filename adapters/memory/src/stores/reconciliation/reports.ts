import { isFeeLine, type StatementLine } from '@tallystick/accounts';
import {
  type BookedLine,
  type BookPlace,
  counted_acts,
  hasItemOfLine,
  type LineFilter,
  type ReconciliationReports,
  type StatedLine,
  type StatementKeySetting,
  statementKeyOf,
} from '@tallystick/reconciliation';
import { following, isInRange, newestByDate } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function reconciliationReports(state: State, setting: StatementKeySetting): ReconciliationReports {
  const { reconciliation_acts, reconciliation_entries, reconciliation_items, reconciliation_match_cells } = state;
  const lines = (): readonly BookedLine[] =>
    state.statement_lines.values().flatMap((row) => (row.standing === 'differs' ? [] : lineOf(row)));
  const statedLines = (company_id: number): readonly StatedLine[] =>
    state.statement_lines
      .values()
      .filter((row) => row.company_id === company_id)
      .map((row) => ({
        ...lineOf(row),
        company_id,
        account_number: state.accounts.get(row.account_id)!.number,
        statement_id: row.statement_id,
        bank_reference: row.bank_reference,
        value_date: row.value_date,
        text: row.text,
        balance_after: row.balance_after,
        standing: row.standing,
      }));
  const itemsOf = (company_id: number) =>
    reconciliation_items.values().filter((item) => item.company_id === company_id);

  return {
    async sumBookedBefore(account_id, date) {
      const before = lines().filter((line) => line.account_id === account_id && line.booking_date < date);
      return before.reduce((sum, { amount }) => sum + amount, 0);
    },

    async bookedLines({ account_id, from, to }, after, limit) {
      const within = lines().filter(
        (line) => line.account_id === account_id && isInRange(line.booking_date, { from, to }),
      );
      return following<BookedLine, BookPlace>(within, ({ booking_date, id }) => [booking_date, id], after, limit);
    },

    async linesById(company_id, ids) {
      const wanted = new Set(ids);
      return statedLines(company_id).filter(({ id }) => wanted.has(id));
    },

    async listLines(company_id, filter, page) {
      const fitting = statedLines(company_id).filter((line) => fits(line, filter, setting));
      return newestByDate('reconciliation-lines', fitting, ({ booking_date }) => booking_date, page);
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
      const its = reconciliation_match_cells
        .values()
        .filter((row) => row.company_id === company_id)
        .flatMap(({ cell }) => (is_all || isInRange(cell.settlement_date, { from, to }) ? cell : []));
      const groups = Map.groupBy(its, ({ rule, side }) => `${rule} ${side}`);
      return [...groups.values()].map((cells) => ({
        rule: cells[0]!.rule,
        side: cells[0]!.side,
        count: cells.reduce((sum, { count }) => sum + count, 0),
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
        line: state.statement_lines.values().filter((row) => isOwn(row) && hasItemOfLine(row)).length,
        items: itemsOf(company_id).length,
      };
    },
  };
}

function lineOf(row: StatementLine): BookedLine {
  const { id, account_id, currency, booking_date, amount, bai_code, acquirer_reference } = row;
  const is_fee = isFeeLine(row);
  return { id, account_id, currency, booking_date, amount, bai_code, acquirer_reference, is_fee };
}

function fits(line: StatedLine, filter: LineFilter, setting: StatementKeySetting): boolean {
  const { account_id, bai_code, reference, booking_date, amount, text } = filter;
  return (
    (account_id ?? line.account_number) === line.account_number &&
    (bai_code ?? line.bai_code) === line.bai_code &&
    isInRange(line.booking_date, booking_date) &&
    isInRange<number>(line.amount, amount) &&
    (reference === undefined || hasReference(line, reference, setting)) &&
    (text === undefined || lowered(line.text).includes(lowered(text)))
  );
}

/** As SQLite has it: A to Z alone. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function hasReference(line: StatedLine, reference: string, setting: StatementKeySetting): boolean {
  const { bank_reference, acquirer_reference } = line;
  if (bank_reference === reference || acquirer_reference === reference) return true;
  const key = statementKeyOf(reference, setting);
  return key !== null && key === statementKeyOf(acquirer_reference, setting);
}
