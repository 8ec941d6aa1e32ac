import { refusalOfNumbers } from '../numbers/suspect-number.ts';
import type { AuthorizationAnswer, ClearingAnswer, ReleaseAnswer, RematchAnswer } from './answer.ts';
import { foldAuthorization } from './authorize.ts';
import { foldClearing } from './clear.ts';
import { foldRematch } from './fold-rematch.ts';
import type { Fold, LedgerState, NetworkMessage } from './ledger.ts';
import { beginPass, changesOf, type Pass, type PassPorts } from './pass.ts';
import { refuseClearing } from './refuse-clearing.ts';
import { foldRelease } from './release.ts';
import { WorkingCards } from './working-cards.ts';

/** The answer to each message, in the order of the messages. */
export type NetworkAnswer = AuthorizationAnswer | ClearingAnswer | ReleaseAnswer | RematchAnswer;

/**
 * Decides the messages one after another on a working copy of the state, all at the instant of the
 * state. Returns the rows to write: the counters of a card at most once, each authorization once in
 * its final state. Pure except for randomness, so that a pass can run again after a conflict. The
 * answers and records are the same however messages are split over passes at one instant.
 */
export function foldMessages(
  state: LedgerState,
  messages: readonly NetworkMessage[],
  ports: PassPorts,
): ReturnType<Fold<readonly NetworkAnswer[]>> {
  const pass = beginPass(state, ports);
  const result = messages.map((message) => foldMessage(pass, message));
  return { changes: changesOf(pass), result };
}

function foldMessage(pass: Pass, message: NetworkMessage): NetworkAnswer {
  const refusal = 'suspects' in message ? refusalOfNumbers(message.suspects, pass.known_numbers) : null;
  if (refusal !== null) {
    // The sender of a message gets the refusal. Nobody would get that of a record of a file.
    return message.kind === 'clearing' && message.place !== null
      ? refuseClearing(pass, message, 'invalid_clearing', refusal)
      : { kind: 'refused', refusal };
  }
  switch (message.kind) {
    case 'authorization':
      return foldAuthorization(pass, message);
    case 'clearing':
      return foldClearing(pass, message);
    case 'release':
      return foldRelease(pass, message);
    case 'rematch':
      return foldRematch(pass, message);
  }
}

/**
 * Releases the holds of the state's cards whose end has come. Returns the number of cards examined.
 */
export function foldDueHolds(state: LedgerState): ReturnType<Fold<number>> {
  const cards = new WorkingCards(state);
  for (const { id } of state.cards) cards.ofId(id);
  return {
    changes: changesOf({ cards }),
    result: state.cards.length,
  };
}
