import { refusalOfNumbers } from '../numbers/suspect-number.ts';
import type { Fold, LedgerState, NetworkMessage } from '../records/ledger.ts';
import { beginPass, changesOf, type Pass, type PassPorts } from '../working/pass.ts';
import type { AuthorizationOutcome, ClearingAnswer, FreezeAnswer, ReleaseAnswer, RematchAnswer } from './answer.ts';
import { foldAuthorization } from './authorize.ts';
import { foldClearing, refuseClearing } from './clear.ts';
import { foldRematch } from './fold-rematch.ts';
import { foldFreeze } from './freeze.ts';
import { foldRelease } from './release.ts';

/** The answer to each message, in the order of the messages. */
export type NetworkAnswer = AuthorizationOutcome | ClearingAnswer | ReleaseAnswer | FreezeAnswer | RematchAnswer;

/**
 * How many records a pass of the network examines around its messages, before it leaves the rest of
 * them to the next pass. Its last message may examine `neighbours_max` more, and one that settles
 * records several times, several times as many (docs/adr/0075).
 */
export const examined_max = 500;

/**
 * Decides the messages one after another on a working copy of the state, all at the instant of the
 * state. Returns the rows to write: the counters of a card at most once, each authorization once in
 * its final state. Pure except for randomness, so that a pass can run again after a conflict. The
 * answers and records are the same however messages are split over passes at one instant. So with
 * `may_stop` it decides only the first ones, at least one, when it has examined `examined_max`
 * records: those with an answer.
 */
export function foldMessages(
  state: LedgerState,
  messages: readonly NetworkMessage[],
  ports: PassPorts,
  { may_stop = false }: { readonly may_stop?: boolean } = {},
): ReturnType<Fold<readonly NetworkAnswer[]>> {
  const pass = beginPass(state, ports);
  const result: NetworkAnswer[] = [];
  for (const message of messages) {
    if (may_stop && pass.cards.work.examined >= examined_max) break;
    result.push(foldMessage(pass, message));
  }
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
    case 'freeze':
      return foldFreeze(pass, message);
    case 'rematch':
      return foldRematch(pass, message);
  }
}
