import type { Ledger } from '@tallystick/cards';
import type { Metrics } from './metrics.ts';

/** Returns the ledger with a metric of the size of each committed pass of messages. */
export function measureLedger(ledger: Ledger, metrics: Pick<Metrics, 'pass'>): Ledger {
  return {
    ...ledger,
    async pass(messages, fold) {
      const result = await ledger.pass(messages, fold);
      metrics.pass(messages.length);
      return result;
    },
  };
}
