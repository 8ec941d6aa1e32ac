import { agree, text } from '../agreement.ts';
import { authorizationOf } from '../arbitraries/authorizations.ts';
import { type ByHandPlans, byHandOf } from '../arbitraries/by-hand.ts';
import {
  type SharedReferencePlan,
  sharedReferenceClearing,
  sharedReferenceRequests,
} from '../arbitraries/clearings.ts';
import { type ReleasePlan, releasedPurchase } from '../arbitraries/holds.ts';
import { pick, pickOf } from '../arbitraries/picks.ts';
import { fullReversalOf } from '../arbitraries/reversals.ts';
import { agreeAnswers, compareCard, moveClock, send, sendClearing } from '../comparison.ts';
import type { ReferenceCard } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import { can, type RematchWire, type SystemWith } from '../system.ts';
import { command } from './command.ts';

export const releaseHold = command('release', {
  needs: ['releaseHold'],
  isPossible: (model) => model.cards.some((card) => model.purchases(card).length > 0),
  async run(plan: ReleasePlan, model, system) {
    const used = model.cards.filter((known) => model.purchases(known).length > 0);
    const card = pick(used, plan.card_pick)!;
    await release(model, system, card, releasedPurchase(plan, model, card)!.id!);
  },
});

/**
 * Purchases with one network reference, what becomes of them, a clearing with the reference, and
 * perhaps one more purchase with it.
 */
export const clearAmongSeveral = command('clear among several', {
  needs: ['clear'],
  async run(plan: SharedReferencePlan, model, system) {
    const requests = sharedReferenceRequests(plan, model);
    for (const request of requests) await send(model, system, [request]);
    const card = model.cards.find(({ card_number }) => card_number === requests[0]!.card_number)!;
    const made = model.purchases(card).filter(({ message }) => requests.includes(message));
    for (const [at, purchase] of made.entries()) {
      const fate = plan.fates[at];
      if (fate === 'reversed') await send(model, system, [fullReversalOf(purchase, model)]);
      if (fate === 'released' && can(system, 'releaseHold')) await release(model, system, card, purchase.id!);
    }
    const end_ms = made.at(-1)?.hold_end_ms ?? null;
    if (plan.holds_end && end_ms !== null && can(system, 'advanceClock')) {
      await moveClock(model, system, end_ms);
    }
    await sendClearing(model, system, sharedReferenceClearing(plan, model, requests[0]!, made));
    if (plan.later === null) return;
    const later = authorizationOf({ ...plan.later, card_pick: plan.card_pick }, model);
    await send(model, system, [{ ...later, net_reference_number: requests[0]!.net_reference_number! }]);
  },
});

/**
 * Matches clearings of a card by hand, takes them from their purchases, confirms their matches, and
 * perhaps undoes all of it. Then the card is as it was.
 */
export const matchByHand = command('match by hand', {
  needs: ['rematch'],
  isPossible: (model) => model.cards.some((card) => hasBoth(model, card)),
  async run({ card_pick, plans, is_undone }: ByHandPlans, model, system) {
    const card = pickOf(model.cards, card_pick, (one) => hasBoth(model, one))!;
    const before = text(model.view(card));
    /** Each request that was done, and the purchase that the clearing had before. */
    const done: { readonly request: RematchWire; readonly was: number | null }[] = [];
    for (const plan of plans) {
      const request = byHandOf(plan, model, card);
      const was = request.expected_authorization_id;
      if (await rematch(model, system, card, request)) done.push({ request, was });
    }
    if (!is_undone) return;
    for (const { request, was } of done.toReversed()) {
      const { answer } = card.clearings.find((clearing) => clearing.answer.id === request.clearing_id)!;
      const undo = {
        ...request,
        authorization_id: request.authorization_id === null ? was : null,
        expected_authorization_id: answer.authorization_id,
        expected_matched_by: answer.match_rule === 9 ? 'person' : 'rule',
      } as const;
      agree(`undoing ${text(request)}`, true, await rematch(model, system, card, undo));
    }
    agree(`card ${card.id} after all is undone`, before, text(model.view(card)));
  },
});

function hasBoth(model: Readonly<ReferenceModel>, card: ReferenceCard): boolean {
  return card.clearings.length > 0 && model.purchases(card).length > 0;
}

async function release(
  model: ReferenceModel,
  system: SystemWith<'releaseHold'>,
  card: ReferenceCard,
  id: number,
): Promise<void> {
  const actual = await system.releaseHold(card.id, id, 'The merchant closed.');
  agreeAnswers(`release of authorization ${id}`, model.releaseHold(card, id), actual);
  await compareCard(model, system, card);
}

/** Sends the request to both. Returns whether it was done. */
async function rematch(
  model: ReferenceModel,
  system: SystemWith<'rematch'>,
  card: ReferenceCard,
  request: RematchWire,
): Promise<boolean> {
  const actual = await system.rematch(request);
  agreeAnswers(`match by hand ${text(request)}`, model.rematch(card, request), actual);
  await compareCard(model, system, card);
  return actual.kind === 'done';
}
