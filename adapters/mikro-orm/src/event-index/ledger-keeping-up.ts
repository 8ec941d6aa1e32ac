import type { Fold, Ledger } from '@tallystick/cards';
import type { WrittenEventIndex } from './event-index.ts';

/** The ledger, whose passes keep up the index of the events that they write, after their commit. */
export function ledgerKeepingUp(ledger: Ledger, event_index: WrittenEventIndex): Ledger {
  function noting<Result>(fold: Fold<Result>): Fold<Result> {
    return (state) => {
      const folded = fold(state);
      const last = folded.changes.events.at(-1);
      if (last !== undefined) event_index.noteWritten(last.id);
      return folded;
    };
  }

  async function keepingUp<Result>(pass: Promise<Result>): Promise<Result> {
    const result = await pass;
    await event_index.keepUp();
    return result;
  }

  return {
    ...ledger,
    pass: (messages, fold) => keepingUp(ledger.pass(messages, noting(fold))),
    passDue: (limit, fold) => keepingUp(ledger.passDue(limit, noting(fold))),
  };
}
