import type { Ledger } from '@tallystick/cards';
import type { Metrics } from './metrics.ts';

/** The ledger, with the size of each committed pass of messages told to the metrics. */
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
