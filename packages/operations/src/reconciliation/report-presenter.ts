import type { ClearingClass } from '@tallystick/cards';
import {
  type AccountBridge,
  type BridgeDifference,
  break_kinds,
  type DifferenceSum,
  item_statuses,
  type Summary,
} from '@tallystick/reconciliation';
import { items_path } from './presenter.ts';

/** A count of items with the sum of their amounts; null: they are of several currencies. */
interface ShownTotal {
  readonly count: number;
  readonly sum: number | null;
}

type Totals = Readonly<Record<string, ShownTotal>>;

const parts = ['by_status', 'by_kind', 'by_class', 'by_age'] as const satisfies readonly (keyof Summary)[];

/**
 * The summary of a company. Amounts of several currencies are never added up: then the sums are in
 * `by_currency` only.
 */
export function presentSummary(by_currency: ReadonlyMap<string, Summary>) {
  const summaries = [...by_currency.values()];
  const [currency, ...others] = by_currency.keys();
  const is_single = others.length === 0;
  const added = Object.fromEntries(
    parts.map((part) => [
      part,
      addTotals(
        summaries.map((summary) => withoutEmpty(summary[part])),
        is_single,
      ),
    ]),
  ) as Record<(typeof parts)[number], Totals>;
  return {
    currency: is_single ? (currency ?? null) : null,
    ...added,
    by_currency: Object.fromEntries(
      [...by_currency].map(([name, summary]) => [
        name,
        Object.fromEntries(parts.map((part) => [part, withoutEmpty(summary[part])])),
      ]),
    ) as Record<string, Record<(typeof parts)[number], Totals>>,
  };
}

function withoutEmpty(totals: Totals): Totals {
  return Object.fromEntries(Object.entries(totals).filter(([, { count }]) => count > 0));
}

function addTotals(of_currencies: readonly Totals[], is_single: boolean): Totals {
  const added: Record<string, ShownTotal> = {};
  for (const [name, { count, sum }] of of_currencies.flatMap((totals) => Object.entries(totals))) {
    added[name] = { count: (added[name]?.count ?? 0) + count, sum: is_single ? sum : null };
  }
  return added;
}

export function presentBridge(bridge: AccountBridge) {
  const { account, booking_date, differences, difference_sums, ...sums } = bridge;
  return {
    account_id: account.number,
    currency: account.currency,
    from: booking_date.from ?? null,
    to: booking_date.to ?? null,
    ...sums,
    differences: differences.map(presentDifference),
    difference_sums: difference_sums.map(presentDifferenceSum),
  };
}

function presentDifferenceSum({ step, kind, count, sum }: DifferenceSum) {
  const filter = itemFilterOf({ step, kind });
  return { step, kind, count, sum, items_url: filter === null ? null : `${items_path}?filter[${filter}]=${kind}` };
}

/** Classes of clearings that join the item of a purchase, which keeps the class of the purchase. */
const joining_classes: ReadonlySet<string> = new Set<ClearingClass>(['reversal', 'refund_linked', 'dispute']);

/** The filter of items by which those with a difference are listed; null: there is none. */
function itemFilterOf({ step, kind }: Pick<DifferenceSum, 'step' | 'kind'>): 'kind' | 'class' | 'status' | null {
  if (kind === 'tolerance') return null;
  if (step === 'authorization') return joining_classes.has(kind) ? null : 'class';
  if ((break_kinds as readonly string[]).includes(kind)) return 'kind';
  return (item_statuses as readonly string[]).includes(kind) ? 'status' : null;
}

function presentDifference({ item_id, step, kind, amount }: BridgeDifference) {
  return { item_id: item_id === null ? null : String(item_id), step, kind, amount };
}
