import type { AuthorizationAnswer, ClearingAnswer } from './answer.ts';
import { foldAuthorization } from './authorize.ts';
import { foldClearing } from './clear.ts';
import type { Fold, LedgerState, NetworkMessage } from './ledger.ts';
import { beginPass, changesOf, type PassPorts } from './pass.ts';
import { WorkingCards } from './working-copy.ts';

/** The answer to each message, in the order of the messages. */
export type NetworkAnswer = AuthorizationAnswer | ClearingAnswer;

/**
 * Decides the messages one after another on a working copy of the state, all at the state's one instant, and gives the
 * rows to write: each card's counters at most once, each authorization once in its final state. Pure but for
 * randomness, so that a pass can be run again after a conflict. However messages are split over passes at one instant,
 * their answers and what is recorded are the same.
 */
export function foldMessages(
  state: LedgerState,
  messages: readonly NetworkMessage[],
  ports: PassPorts,
): ReturnType<Fold<readonly NetworkAnswer[]>> {
  const pass = beginPass(state, ports);
  const result = messages.map((message) =>
    message.kind === 'authorization' ? foldAuthorization(pass, message) : foldClearing(pass, message),
  );
  return { changes: changesOf(pass), result };
}

/** Releases the holds of the state's cards whose end has come; gives how many cards it looked at. */
export function foldDueHolds(state: LedgerState): ReturnType<Fold<number>> {
  const cards = new WorkingCards(state);
  for (const { id } of state.cards) cards.ofId(id);
  return { changes: changesOf({ cards, events: [], unknown_numbers: [] }), result: state.cards.length };
}
