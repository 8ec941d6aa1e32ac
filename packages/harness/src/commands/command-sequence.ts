import fc from 'fast-check';
import { authorizationPlan } from '../arbitraries/authorizations.ts';
import { byHandPlans } from '../arbitraries/by-hand.ts';
import { cardPlan, flawedCard, updatePlan } from '../arbitraries/cards.ts';
import { clearingFirstPlan, clearingPlan, sharedReferencePlan } from '../arbitraries/clearings.ts';
import { clockMove } from '../arbitraries/clocks.ts';
import { guessPlan } from '../arbitraries/codes.ts';
import { holdDays, lateIncrementPlan, releasePlan } from '../arbitraries/holds.ts';
import { seldom } from '../arbitraries/picks.ts';
import { earlyReversalPlan, reversalPlan } from '../arbitraries/reversals.ts';
import { clearAmongSeveral, matchByHand, releaseHold } from './by-hand.ts';
import { advanceClock, cancelCard, createCard, createFlawedCard, readCard, setHoldDays, updateCard } from './cards.ts';
import type { Command } from './command.ts';
import {
  authorize,
  authorizeTogether,
  clear,
  clearBeforeCard,
  clearFirst,
  guessCode,
  increaseLate,
  repeatAuthorization,
  repeatClearing,
  repeatRefused,
  reverse,
  reverseEarly,
  undoCopy,
} from './messages.ts';

/** Sequences of commands of every kind. `replay_path` reproduces a failure. */
export function commandSequence(commands_max: number, replay_path?: string): fc.Arbitrary<Iterable<Command>> {
  const card_pick = fc.nat({ max: 5 });
  // fast-check draws evenly from the list, so a kind is in it as often as its weight says.
  const kinds = weighed([
    [12, authorizationPlan().map(authorize)],
    [9, clearingPlan().map(clear)],
    [3, clearingFirstPlan().map(clearFirst)],
    [3, clockMove().map(advanceClock)],
    [3, reversalPlan().map(reverse)],
    [2, earlyReversalPlan().map(reverseEarly)],
    [3, lateIncrementPlan().map(increaseLate)],
    [2, sharedReferencePlan().map(clearAmongSeveral)],
    [3, byHandPlans().map(matchByHand)],
    [2, releasePlan().map(releaseHold)],
    [1, guessPlan().map(guessCode)],
    [1, holdDays().map(setHoldDays)],
    [1, fc.array(authorizationPlan(), { minLength: 2, maxLength: 4 }).map(authorizeTogether)],
    [1, fc.record({ card_pick, plan: updatePlan() }).map(updateCard)],
    [1, cardPlan().map(createCard)],
    [1, flawedCard().map(createFlawedCard)],
    [1, fc.record({ clearing: clearingPlan(), card: cardPlan() }).map(clearBeforeCard)],
    [1, card_pick.map(cancelCard)],
    [1, card_pick.map(readCard)],
    [1, fc.record({ card_pick, message_pick: fc.nat({ max: 30 }) }).map(repeatAuthorization)],
    [1, fc.record({ card_pick, message_pick: fc.nat({ max: 10 }) }).map(repeatClearing)],
    [1, fc.record({ card_pick, message_pick: fc.nat({ max: 10 }) }).map(undoCopy)],
    [3, fc.record({ at: fc.nat({ max: 10 }), is_replay: seldom(3).map((again) => !again) }).map(repeatRefused)],
  ]);
  return fc.commands(kinds, {
    maxCommands: commands_max,
    size: 'max',
    ...(replay_path === undefined ? {} : { replayPath: replay_path }),
  });
}

function weighed(kinds: readonly (readonly [weight: number, fc.Arbitrary<Command>])[]): fc.Arbitrary<Command>[] {
  return kinds.flatMap(([weight, kind]) => Array.from({ length: weight }, () => kind));
}
