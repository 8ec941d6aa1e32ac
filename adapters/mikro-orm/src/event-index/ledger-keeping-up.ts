import type { Fold, Ledger } from '@tallystick/cards';
import { createSettleBy, type Deadline, type Timers } from '@tallystick/kernel';
import type { WrittenEventIndex } from './event-index.ts';

/** How long the answer of a pass waits for the index, milliseconds. */
const wait_ms_max = 500;

/**
 * The ledger, whose passes keep up the index of the events that they write, after their commit. The
 * index does not delay the answer beyond the deadline.
 */
export function ledgerKeepingUp(
  ledger: Ledger,
  event_index: Pick<WrittenEventIndex, 'noteWritten' | 'keepUp'>,
  timers: Timers,
): Ledger {
  const settleBy = createSettleBy(timers);

  function noting<Result>(fold: Fold<Result>): Fold<Result> {
    return (state) => {
      const folded = fold(state);
      const last = folded.changes.events.at(-1);
      if (last !== undefined) event_index.noteWritten(last.id);
      return folded;
    };
  }

  async function keepingUp<Result>(pass: Promise<Result>, deadline?: Deadline): Promise<Result> {
    const result = await pass;
    if (deadline === undefined) {
      await event_index.keepUp();
    } else {
      const left_ms = Math.min(wait_ms_max, deadline.leftMs());
      await settleBy({ leftMs: () => left_ms }, () => event_index.keepUp()).catch(() => {});
    }
    return result;
  }

  return {
    ...ledger,
    pass: (messages, fold, bounds) => keepingUp(ledger.pass(messages, noting(fold), bounds), bounds?.deadline),
    passDue: (limit, fold) => keepingUp(ledger.passDue(limit, noting(fold))),
  };
}
