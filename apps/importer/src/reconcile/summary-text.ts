import { clearing_classes } from '@tallystick/cards';
import {
  age_buckets,
  type BreakAges,
  break_kinds,
  type CountAndSum,
  item_statuses,
  type RuleCount,
  type RulesReport,
  type Summary,
  toCsvRow,
} from '@tallystick/reconciliation';
import { formatTable } from '@tallystick/server';
import { count, counted, nameRule, showDecimal } from '../words.ts';

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

/** The summary, the rules and the ages of breaks of a company as rows of a table in CSV. */
export function* reportTable(
  company_id: number,
  summary: ReadonlyMap<string, Summary>,
  { rules, items: all_items, items_untouched }: RulesReport,
  ages: ReadonlyMap<string, readonly BreakAges[]>,
): Generator<string> {
  for (const [currency, of_currency] of summary) {
    for (const { part, names } of parts) {
      const totals: Readonly<Record<string, CountAndSum>> = of_currency[part];
      for (const name of names) {
        const { count: items, sum } = totals[name]!;
        if (items > 0) yield toCsvRow([company_id, currency, part, name, items, sum, null, null, null, null, null]);
      }
    }
    for (const { day, by_age } of ages.get(currency) ?? []) {
      for (const [name, items] of Object.entries(by_age)) {
        if (items > 0) yield toCsvRow([company_id, currency, 'by_day', name, items, null, null, null, null, null, day]);
      }
    }
  }
  for (const { rule, authorization_matches, statement_matches, confirmed, undone } of rules) {
    const matches = [authorization_matches, statement_matches, confirmed, undone];
    yield toCsvRow([company_id, null, 'by_rule', rule, null, null, ...matches, null]);
  }
  const by_person = { untouched: items_untouched, touched: all_items - items_untouched };
  for (const [name, items] of Object.entries(by_person)) {
    yield toCsvRow([company_id, null, 'by_person', name, items, null, null, null, null, null, null]);
  }
}

/** The head of `reportTable`. Sums are in minor units of the currency. */
export function reportTableHead(): string {
  const matches = ['authorization_matches', 'statement_matches', 'confirmed', 'undone'];
  return toCsvRow(['company_id', 'currency', 'part', 'name', 'items', 'sum', ...matches, 'day']);
}

function rowOf(name: string, { count: items, sum }: CountAndSum, currency: string): readonly string[] {
  return [name, count(items), showDecimal(sum, currency)];
}

/** The numbers of breaks that were open on each day, by age. */
export function describeAges(ages: readonly BreakAges[]): readonly string[] {
  if (ages.every(({ by_age }) => totalOf(by_age) === 0)) return [];
  const names = age_buckets.map(({ name }) => name);
  const columns = [{ head: 'breaks on' }, ...[...names, 'total'].map((head) => ({ head, is_number: true }))];
  const rows = ages.map(({ day, by_age }) => [
    day,
    ...names.map((name) => count(by_age[name])),
    count(totalOf(by_age)),
  ]);
  return [formatTable(columns, rows, { indent: '  ' }), ''];
}

function totalOf(by_age: BreakAges['by_age']): number {
  return Object.values(by_age).reduce((sum, open) => sum + open, 0);
}

export function describeRules(report: RulesReport): readonly string[] {
  const { rules, tolerated, items, items_untouched, share_untouched } = report;
  const share =
    share_untouched === null
      ? ''
      : `; no person touched ${count(items_untouched)} of them, ${(share_untouched * 100).toFixed(2)} %`;
  const accepted = tolerated === 0 ? [] : [`  ${counted(tolerated, 'difference')} within the tolerance`];
  return [...tableOfRules(rules), `  ${counted(items, 'item')}${share}`, ...accepted];
}

function tableOfRules(rules: readonly RuleCount[]): readonly string[] {
  if (rules.length === 0) return [];
  const columns = [
    { head: 'rule' },
    { head: 'authorization', is_number: true },
    { head: 'statement', is_number: true },
    { head: 'confirmed', is_number: true },
    { head: 'undone', is_number: true },
  ];
  const table = rules.map((one) => [
    nameRule(one.rule),
    ...[one.authorization_matches, one.statement_matches, one.confirmed, one.undone].map(count),
  ]);
  const columnOf = (name: Exclude<keyof RuleCount, 'rule'>) => count(rules.reduce((sum, one) => sum + one[name], 0));
  table.push([
    'total',
    columnOf('authorization_matches'),
    columnOf('statement_matches'),
    columnOf('confirmed'),
    columnOf('undone'),
  ]);
  return [formatTable(columns, table, { indent: '  ' }), ''];
}
