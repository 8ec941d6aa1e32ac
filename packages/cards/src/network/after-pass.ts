import type { Ledger } from './ledger.ts';

/**
 * The ledger with a hook that is called after each pass that committed. The hook must return at
 * once and must not throw.
 */
export function callAfterPass(ledger: Ledger, hook: () => void): Ledger {
  return {
    ...ledger,
    async pass(messages, fold, bounds) {
      const result = await ledger.pass(messages, fold, bounds);
      hook();
      return result;
    },
    async passDue(limit, fold) {
      const result = await ledger.passDue(limit, fold);
      hook();
      return result;
    },
  };
}
