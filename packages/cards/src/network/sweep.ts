import { foldDueHolds } from './fold-messages.ts';
import type { Ledger } from './ledger.ts';

/**
 * Marks the holds whose end has come on up to `limit` cards and removes them from the counters of
 * the cards. Returns the number of cards examined: less than `limit` when none is left for now.
 * Decisions and balances do not depend on it, because they leave out ended holds themselves
 * (decision: windows and holds).
 */
export function sweepHolds(ledger: Ledger, limit: number): Promise<number> {
  return ledger.passDue(limit, foldDueHolds);
}
