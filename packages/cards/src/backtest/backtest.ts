import type { ControlsChange } from './controls-change.ts';
import type { Difference, DifferenceKind, Span } from './replay-card.ts';

export const backtest_statuses = ['pending', 'running', 'completed', 'failed'] as const;

export type BacktestStatus = (typeof backtest_statuses)[number];

/** The differences with the same reasons and the same currency. */
export interface DifferenceSum {
  readonly kind: DifferenceKind;
  /** The reasons as they were and would have been: codes, V when approved. */
  readonly recorded: string;
  readonly replayed: string;
  readonly currency: string;
  readonly count: number;
  /** The sum of their amounts. */
  readonly amount: number;
}

/** What is known of a backtest that runs. */
export interface BacktestProgress {
  readonly cards_done: number;
  readonly cards_total: number;
  /** How many recorded messages, clearings and acts of these cards were replayed. */
  readonly messages: number;
  /** How many of the card that is replayed. */
  readonly card_messages: number;
  readonly differences: number;
  readonly sums: readonly DifferenceSum[];
}

/** Recorded messages decided again with changed controls. */
export interface Backtest extends Span, BacktestProgress {
  readonly id: number;
  readonly company_id: number;
  /** Null: all cards of the company. */
  readonly vcn_id: number | null;
  readonly change: ControlsChange;
  readonly status: BacktestStatus;
  /** Why it failed; null otherwise. */
  readonly error: string | null;
  /** The cards up to this id are done. */
  readonly last_card_id: number;
  readonly created_at_ms: number;
  readonly finished_at_ms: number | null;
}

export interface RecordedDifference extends Difference {
  readonly id: number;
}

/** The most backtests of a company that wait or run. */
export const backtests_max = 3;

/** The most ended backtests of a company that stay when another one begins. */
export const backtests_kept_max = 20;

/** The most differences of a backtest that are kept one by one. Its sums count all. */
export const differences_kept_max = 100_000;

/** How long a backtest is kept after it was asked for. */
export const backtest_kept_days = 30;

/** How long a process that runs a backtest may say nothing before another continues it. */
export const backtest_lease_ms = 60_000;

export function addDifference(sums: Map<string, DifferenceSum>, difference: Difference): void {
  const { kind, currency, amount } = difference;
  const one = { kind, recorded: reasonOf(difference.recorded), replayed: reasonOf(difference.replayed), currency };
  const known = sums.get(keyOf(one)) ?? { ...one, count: 0, amount: 0 };
  sums.set(keyOf(one), { ...known, count: known.count + 1, amount: known.amount + amount });
}

/** The sums by their reasons, so that more can be added. */
export function sumsByReason(sums: readonly DifferenceSum[]): Map<string, DifferenceSum> {
  return new Map(sums.map((sum) => [keyOf(sum), sum]));
}

function keyOf({ kind, recorded, replayed, currency }: Omit<DifferenceSum, 'count' | 'amount'>): string {
  return JSON.stringify([kind, recorded, replayed, currency]);
}

/** The code of a decision; of an advice that broke a limit, that of the limit. */
function reasonOf(decision: Difference['recorded'] | null): string {
  if (decision === null) return 'refused';
  return decision.code === 'V' ? (decision.broken_reason ?? 'V') : decision.code;
}
