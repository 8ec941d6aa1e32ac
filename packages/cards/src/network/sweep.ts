import { foldDueHolds } from './fold-messages.ts';
import type { Ledger } from './ledger.ts';

/**
 * Marks the holds whose end has come on up to `limit` cards, and takes them off the cards' counters. Gives how many
 * cards it looked at: less than `limit` when none is left for now. Nothing waits for it: decisions and balances leave
 * out ended holds by themselves (decision: windows and holds).
 */
export function sweepHolds(ledger: Ledger, limit: number): Promise<number> {
  return ledger.passDue(limit, foldDueHolds);
}
