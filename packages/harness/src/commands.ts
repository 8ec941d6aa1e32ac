import fc from 'fast-check';
import { authorizationPlan } from './arbitraries/authorizations.ts';
import { byHandPlans } from './arbitraries/by-hand.ts';
import { cardPlan, flawedCard, updatePlan } from './arbitraries/cards.ts';
import { clearingFirstPlan, clearingPlan, sharedReferencePlan } from './arbitraries/clearings.ts';
import { clockMove } from './arbitraries/clocks.ts';
import { guessPlan } from './arbitraries/codes.ts';
import { holdDays, lateIncrementPlan, releasePlan } from './arbitraries/holds.ts';
import { seldom } from './arbitraries/picks.ts';
import { earlyReversalPlan, reversalPlan } from './arbitraries/reversals.ts';
import { MatchByHand } from './commands/by-hand.ts';
import { CancelCard, CreateCard, CreateFlawedCard, ReadCard, UpdateCard } from './commands/cards.ts';
import { AdvanceClock } from './commands/clock.ts';
import { GuessCode } from './commands/codes.ts';
import type { Command } from './commands/command.ts';
import { ClearAmongSeveral, IncreaseLate, ReleaseHold, SetHoldDays } from './commands/holds.ts';
import {
  Authorize,
  Burst,
  Clear,
  ClearFirst,
  RepeatAuthorization,
  RepeatClearing,
  Reverse,
  ReverseEarly,
} from './commands/messages.ts';
import { ClearBeforeCard, RepeatRefused } from './commands/quarantine.ts';

/** Sequences of commands of every kind. `replay_path` reproduces a failure. */
export function commandSequence(commands_max: number, replay_path?: string): fc.Arbitrary<Iterable<Command>> {
  const card_pick = fc.nat({ max: 5 });
  // fast-check draws evenly from the list, so a kind is in it as often as its weight says.
  const kinds = weighed([
    [12, authorizationPlan().map((plan) => new Authorize(plan))],
    [9, clearingPlan().map((plan) => new Clear(plan))],
    [3, clearingFirstPlan().map((plan) => new ClearFirst(plan))],
    [3, clockMove().map((move) => new AdvanceClock(move))],
    [3, reversalPlan().map((plan) => new Reverse(plan))],
    [2, earlyReversalPlan().map((plan) => new ReverseEarly(plan))],
    [3, lateIncrementPlan().map((plan) => new IncreaseLate(plan))],
    [2, sharedReferencePlan().map((plan) => new ClearAmongSeveral(plan))],
    [3, byHandPlans().map((plans) => new MatchByHand(plans))],
    [2, releasePlan().map((plan) => new ReleaseHold(plan))],
    [1, guessPlan().map((plan) => new GuessCode(plan))],
    [1, holdDays().map((hold_days) => new SetHoldDays(hold_days))],
    [1, fc.array(authorizationPlan(), { minLength: 2, maxLength: 4 }).map((plans) => new Burst(plans))],
    [1, fc.tuple(card_pick, updatePlan()).map(([at, plan]) => new UpdateCard(at, plan))],
    [1, cardPlan().map((plan) => new CreateCard(plan))],
    [1, flawedCard().map(({ plan, flaw }) => new CreateFlawedCard(plan, flaw))],
    [1, fc.tuple(clearingPlan(), cardPlan()).map(([clearing, card]) => new ClearBeforeCard(clearing, card))],
    [1, card_pick.map((at) => new CancelCard(at))],
    [1, card_pick.map((at) => new ReadCard(at))],
    [1, fc.tuple(card_pick, fc.nat({ max: 30 })).map(([card, message]) => new RepeatAuthorization(card, message))],
    [1, fc.tuple(card_pick, fc.nat({ max: 10 })).map(([card, clearing]) => new RepeatClearing(card, clearing))],
    [3, fc.tuple(fc.nat({ max: 10 }), seldom(3)).map(([at, again]) => new RepeatRefused(at, !again))],
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
