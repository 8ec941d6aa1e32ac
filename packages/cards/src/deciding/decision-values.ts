import { type Recurring, utcDateAt, utcInstantAt, windowAt } from '@tallystick/velocity';
import { amountLeft } from '../issuing/balance.ts';
import type { Authorization } from '../records/authorization.ts';
import type { Fact, FactValue } from '../records/decision-facts.ts';
import { merchantOf } from '../records/merchant.ts';

/** What every decision compares. */
export interface DecisionValues {
  readonly asked: number;
  readonly increment_of: number | null;
  readonly held: number;
  readonly cleared: number;
  readonly uses: number;
  readonly window_start_ms: number;
  readonly recurring: Recurring | null;
  readonly decided_at_ms: number;
  readonly message: Pick<Authorization, 'mcc' | 'merchant_currency' | 'merchant_id' | 'details'>;
  /** What an approval adds to the hold; null for the report of a decision of ours. */
  readonly adds: number | null;
}

/** The limits of an outcome by their names. */
export type Limits = Readonly<Record<string, FactValue>>;

/** The facts that come from the values. Those that say nothing about a decision are undefined. */
export const value_facts = {
  asked: ({ asked }) => asked,
  increment_of: ({ increment_of }) => increment_of ?? undefined,
  held: ({ held }) => held,
  cleared: ({ cleared }) => Math.max(0, cleared),
  available: (values, limits) => amountLeft(Number(limits.total_card_amount), values),
  available_after: (values, limits) =>
    values.adds === null ? undefined : amountLeft(Number(limits.total_card_amount), values) - values.adds,
  uses: ({ uses }) => uses,
  uses_left: ({ adds, uses, increment_of }, { transactions_max }) => {
    if (adds === null || typeof transactions_max !== 'number') return undefined;
    return Math.max(0, transactions_max - uses - (adds > 0 && increment_of === null ? 1 : 0));
  },
  window_start: (values) => (isEndless(values) ? undefined : utcInstantAt(values.window_start_ms)),
  window_end: (values) => (isEndless(values) ? undefined : utcInstantAt(windowEndOf(values))),
  date: ({ decided_at_ms }) => utcDateAt(decided_at_ms),
  mcc: ({ message }) => message.mcc,
  merchant_id: ({ message }) => message.merchant_id ?? undefined,
  merchant_name: ({ message }) => merchantOf(message).merchant_name ?? undefined,
  merchant_country: ({ message }) => merchantOf(message).merchant_country ?? 'unknown',
  card_present: ({ message }) => String(merchantOf(message).card_present ?? 'unknown'),
  currency_sent: ({ message }) => message.merchant_currency,
} as const satisfies Readonly<Record<string, (values: DecisionValues, limits: Limits) => Fact['value'] | undefined>>;

export type ValueName = keyof typeof value_facts;

function isEndless({ recurring }: DecisionValues): boolean {
  return recurring === null || recurring === 'Continuous';
}

function windowEndOf({ recurring, window_start_ms }: DecisionValues): number {
  return windowAt(recurring, window_start_ms).end_ms;
}
