import type { Ledger } from '../records/ledger.ts';
import { changesOf } from '../working/pass.ts';
import { WorkingCards } from '../working/working-cards.ts';

/**
 * Marks the holds whose end has come on up to `limit` cards and removes them from the counters of
 * the cards. Returns the number of cards examined: less than `limit` when none is left for now.
 * Decisions and balances do not depend on it, because they leave out ended holds themselves
 * (decision: windows and holds).
 */
export function sweepHolds(ledger: Ledger, limit: number): Promise<number> {
  return ledger.passDue(limit, (state) => {
    const cards = new WorkingCards(state);
    for (const { id } of state.cards) cards.ofId(id);
    return { changes: changesOf({ cards }), result: state.cards.length };
  });
}
