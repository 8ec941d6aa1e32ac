import { clearing_classes } from '@tallystick/cards';
import {
  age_buckets,
  break_kinds,
  type CountAndSum,
  item_statuses,
  type RuleCount,
  type RulesReport,
  type Summary,
  toCsvRow,
} from '@tallystick/reconciliation';
import { formatTable } from '@tallystick/server';
import { count, nameRule, showDecimal } from '../words.ts';

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
    const found = names.filter((name) => totals[name]!.count > 0);
    if (found.length === 0) return [];
    const all = addUp(found.filter((name) => name !== 'ignored').map((name) => totals[name]!));
    const total = found.includes('ignored') ? 'total without ignored' : 'total';
    const rows = [...found.map((name) => rowOf(name, totals[name]!, currency)), rowOf(total, all, currency)];
    const columns = [{ head }, { head: 'items', is_number: true }, { head: currency, is_number: true }];
    return [formatTable(columns, rows, { indent: '  ' }), ''];
  });
}

function addUp(totals: readonly CountAndSum[]): CountAndSum {
  return totals.reduce((all, { count: items, sum }) => ({ count: all.count + items, sum: all.sum + sum }), {
    count: 0,
    sum: 0,
  });
}

/** The summary and the rules of a company as rows of a table in CSV. */
export function* reportTable(
  company_id: number,
  summary: ReadonlyMap<string, Summary>,
  { rules }: RulesReport,
): Generator<string> {
  for (const [currency, of_currency] of summary) {
    for (const { part, names } of parts) {
      const totals: Readonly<Record<string, CountAndSum>> = of_currency[part];
      for (const name of names) {
        const { count: items, sum } = totals[name]!;
        if (items > 0) yield toCsvRow([company_id, currency, part, name, items, sum, null, null, null, null]);
      }
    }
  }
  for (const { rule, authorization_matches, statement_matches, confirmed, undone } of rules) {
    const matches = [authorization_matches, statement_matches, confirmed, undone];
    yield toCsvRow([company_id, null, 'by_rule', rule, null, null, ...matches]);
  }
}

/** The head of `reportTable`. Sums are in minor units of the currency. */
export function reportTableHead(): string {
  const matches = ['authorization_matches', 'statement_matches', 'confirmed', 'undone'];
  return toCsvRow(['company_id', 'currency', 'part', 'name', 'items', 'sum', ...matches]);
}

function rowOf(name: string, { count: items, sum }: CountAndSum, currency: string): readonly string[] {
  return [name, count(items), showDecimal(sum, currency)];
}

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
    nameRule(one.rule),
    ...[one.authorization_matches, one.statement_matches, one.confirmed, one.undone].map(count),
  ]);
  const columnOf = (name: Exclude<keyof RuleCount, 'rule'>) => count(rules.reduce((sum, one) => sum + one[name], 0));
  rows.push([
    'total',
    columnOf('authorization_matches'),
    columnOf('statement_matches'),
    columnOf('confirmed'),
    columnOf('undone'),
  ]);
  const share = share_without_person === null ? '' : `; ${(share_without_person * 100).toFixed(2)} % without a person`;
  return [formatTable(columns, rows, { indent: '  ' }), `  ${count(matches)} matches${share}`];
}
