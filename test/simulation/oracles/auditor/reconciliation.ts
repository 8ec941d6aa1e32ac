import type { Clearing } from '@tallystick/cards';
import type { Item } from '@tallystick/reconciliation';
import type { Invariant, Step } from './invariant.ts';

const kinds = ['authorization', 'clearing', 'line'] as const;

function* membersOf(item: Item): Iterable<string> {
  for (const kind of kinds) for (const id of item[`${kind}_ids`]) yield `${kind} ${id}`;
}

const card_codes: ReadonlySet<string> = new Set(['391', '691', '821', '822', '824', '825', '826']);
const fee_codes: ReadonlySet<string> = new Set(['825', '826']);

export const each_record_is_in_one_item: Invariant = {
  name: 'each record is in one item',
  says: 'no record is in two items, and in the end every purchase, clearing and card line is in one',
  begin() {
    const counts = new Map<string, number>();
    return {
      *step(step) {
        const touched = new Set<string>();
        const add = (item: Item | undefined, sign: 1 | -1) => {
          if (item === undefined) return;
          for (const name of membersOf(item)) {
            touched.add(name);
            counts.set(name, (counts.get(name) ?? 0) + sign);
          }
        };
        for (const { before, after } of step.changes('reconciliation_items')) {
          add(before, -1);
          add(after, 1);
        }
        for (const name of touched) if (counts.get(name)! > 1) yield `${name} is in ${counts.get(name)} items`;
      },
      *end({ state }) {
        if (state.reconciliation_items.size === 0 && state.reconciliation_inbox.size === 0) return;
        for (const { kind, record_id } of state.reconciliation_inbox.values())
          yield `${kind} ${record_id} waits for its item`;
        const isIn = (name: string) => (counts.get(name) ?? 0) === 1;
        for (const { id, root_id, decline_code, authorized } of state.authorizations.values()) {
          const is_purchase = root_id === id && decline_code === null && authorized > 0;
          if (is_purchase && !isIn(`authorization ${id}`)) yield `authorization ${id} is in no item`;
        }
        for (const { id } of state.clearings.values())
          if (!isIn(`clearing ${id}`)) yield `clearing ${id} is in no item`;
        for (const { id, bai_code } of state.statement_lines.values()) {
          if (card_codes.has(bai_code) && !isIn(`line ${id}`)) yield `line ${id} is in no item`;
        }
      },
    };
  },
};

function signed({ cleared_effect, clearing_type, billing_amount }: Clearing): number {
  const is_credit = cleared_effect === 0 ? clearing_type === 'CREDIT' : cleared_effect < 0;
  return is_credit ? -billing_amount : billing_amount;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** The amounts of an item by its records: what makes the bridge close. */
function* wrongAmounts({ state }: Step, item: Item): Iterable<string> {
  const clearings = item.clearing_ids.flatMap((id) => state.clearings.get(id) ?? []);
  const lines = item.line_ids.flatMap((id) => state.statement_lines.get(id) ?? []);
  const fees = sum(lines.filter(({ bai_code }) => fee_codes.has(bai_code)).map(({ amount }) => -amount));
  const only_fees = lines.every(({ bai_code }) => fee_codes.has(bai_code));
  const stated =
    lines.length === 0 || (only_fees && clearings.length > 0) ? null : sum(lines.map(({ amount }) => -amount));
  const cleared = clearings.length === 0 ? null : sum(clearings.map(signed));
  const right = { cleared, stated, fees };
  for (const name of ['cleared', 'stated', 'fees'] as const) {
    if (item[name] !== right[name])
      yield `item ${item.id}: ${name} is ${item[name]}, and its records sum to ${right[name]}`;
  }
  const actual = stated === null ? (cleared ?? 0) : stated - fees;
  const difference = actual - (item.authorized ?? cleared ?? 0);
  if (item.difference !== difference) yield `item ${item.id}: its difference is ${item.difference}, not ${difference}`;
}

export const the_bridge_closes: Invariant = {
  name: 'the bridge closes',
  says: 'the amounts of an item are those of its records, and its difference names what is left',
  begin: () => ({
    *step(step) {
      for (const { after } of step.changes('reconciliation_items')) {
        if (after !== undefined) yield* wrongAmounts(step, after);
      }
    },
  }),
};

interface Cell {
  readonly company_id: number;
  readonly currency: string;
  readonly status: string;
  readonly kind: string | null;
  readonly class: string | null;
  readonly due_date: string | null;
}

function cellName({ company_id, currency, status, kind, class: of, due_date }: Cell): string {
  return [company_id, currency, status, kind, of, due_date].join(' ');
}

function amountOf({ stated, fees, cleared, authorized }: Item): number {
  if (cleared === null && authorized === null) return stated ?? 0;
  return stated !== null ? stated - fees : (cleared ?? authorized ?? 0);
}

export const summaries_count_items: Invariant = {
  name: 'summaries count items',
  says: 'the counts and sums of the summary are those of the items',
  begin() {
    const right = new Map<string, { count: number; sum: number }>();
    const stored = new Map<string, { count: number; sum: number }>();
    return {
      *step(step) {
        const touched = new Set<string>();
        const add = (item: Item | undefined, sign: 1 | -1) => {
          if (item === undefined) return;
          const name = cellName({ ...item, due_date: item.status === 'break' ? item.due_date : null });
          const before = right.get(name) ?? { count: 0, sum: 0 };
          right.set(name, { count: before.count + sign, sum: before.sum + sign * amountOf(item) });
          touched.add(name);
        };
        for (const { before, after } of step.changes('reconciliation_items')) {
          add(before, -1);
          add(after, 1);
        }
        for (const { before, after } of step.changes('reconciliation_cells')) {
          const { company_id, cell } = (after ?? before)!;
          const name = cellName({ ...cell, company_id });
          touched.add(name);
          if (after === undefined) stored.delete(name);
          else stored.set(name, cell);
        }
        for (const name of touched) {
          const { count = 0, sum: total = 0 } = stored.get(name) ?? {};
          const items = right.get(name) ?? { count: 0, sum: 0 };
          if (count !== items.count || total !== items.sum) {
            yield `the cell ${name} has ${count} items of ${total}, and there are ${items.count} of ${items.sum}`;
          }
        }
      },
    };
  },
};
