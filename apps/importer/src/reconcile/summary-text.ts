import { clearing_classes } from '@tallystick/cards';
import {
  age_buckets,
  break_kinds,
  type CountAndSum,
  item_statuses,
  type RulesReport,
  type Summary,
} from '@tallystick/reconciliation';
import { count, showDecimal } from '../amount-text.ts';
import { formatColumns } from './text-table.ts';

/** The parts of a summary, with the names of each in their order. */
const parts = [
  { part: 'by_status', head: 'status', names: item_statuses },
  { part: 'by_kind', head: 'kind of break', names: break_kinds },
  { part: 'by_age', head: 'age of breaks, days', names: age_buckets.map(({ name }) => name) },
  { part: 'by_class', head: 'class', names: clearing_classes },
] as const satisfies readonly {
  readonly part: keyof Summary;
  readonly head: string;
  readonly names: readonly string[];
}[];

/** The summary of one company and currency as tables, one for each part that counts something. */
export function describeSummary(summary: Summary, currency: string): readonly string[] {
  return parts.flatMap(({ part, head, names }) => {
    const totals: Readonly<Record<string, CountAndSum>> = summary[part];
    const rows = names.filter((name) => totals[name]!.count > 0).map((name) => rowOf(name, totals[name]!, currency));
    if (rows.length === 0) return [];
    const columns = [{ head }, { head: 'items', is_number: true }, { head: currency, is_number: true }];
    return [...formatColumns(columns, rows, '  '), ''];
  });
}

function rowOf(name: string, { count: items, sum }: CountAndSum, currency: string): readonly string[] {
  return [name, count(items), showDecimal(sum, currency)];
}

/** How the matches of a company came about. */
export function describeRules({ rules, matches, share_without_person }: RulesReport): readonly string[] {
  if (rules.length === 0) return [];
  const columns = [
    { head: 'rule' },
    { head: 'authorization', is_number: true },
    { head: 'statement', is_number: true },
    { head: 'confirmed', is_number: true },
    { head: 'undone', is_number: true },
  ];
  const rows = rules.map((one) => [
    one.rule,
    ...[one.authorization_matches, one.statement_matches, one.confirmed, one.undone].map(count),
  ]);
  const share = share_without_person === null ? '' : `; ${(share_without_person * 100).toFixed(2)} % without a person`;
  return [...formatColumns(columns, rows, '  '), `  ${count(matches)} matches${share}`];
}
