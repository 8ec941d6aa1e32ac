import { type ClearingClass, countedCodeFailures, type Ledger } from '@tallystick/cards';
import type { Metrics } from './metrics.ts';

/**
 * Returns the ledger with metrics of each committed pass of messages: its size, its wrong codes,
 * and the classes of its clearings.
 */
export function measureLedger(ledger: Ledger, metrics: Pick<Metrics, 'pass' | 'codeFailures' | 'clearing'>): Ledger {
  return {
    ...ledger,
    async pass(messages, fold, bounds) {
      let counted = { failures: 0, lockouts: 0 };
      let classes: readonly ClearingClass[] = [];
      const count: typeof fold = (state) => {
        const folded = fold(state);
        counted = countedCodeFailures(state, folded.changes);
        classes = folded.changes.clearings_inserted.map((clearing) => clearing.class);
        return folded;
      };
      const result = await ledger.pass(messages, count, bounds);
      metrics.pass(messages.length);
      metrics.codeFailures(counted);
      for (const clearing_class of classes) metrics.clearing(clearing_class);
      return result;
    },
  };
}
