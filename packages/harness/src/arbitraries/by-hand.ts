import fc from 'fast-check';
import { type AnsweredClearing, purchasesOf, type ReferenceCard } from '../reference/card.ts';
import { chosenByHand } from '../reference/hand-decision.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { RematchWire } from '../system.ts';
import { pick, pickOf, seldom } from './picks.ts';

/** What a person asks for about the match of a clearing. */
export interface ByHandPlan {
  readonly what: 'match' | 'unmatch' | 'confirm' | 'unconfirm';
  readonly clearing_pick: number;
  readonly purchase_pick: number;
  /** Whether another match was made since the person looked. */
  readonly is_stale: boolean;
  /** Whether the purchase is one of any card. */
  readonly of_any_card: boolean;
}

/** Requests about one card, one after another, and perhaps their undoing. */
export interface ByHandPlans {
  readonly card_pick: number;
  readonly plans: readonly ByHandPlan[];
  readonly is_undone: boolean;
}

export function byHandPlans(): fc.Arbitrary<ByHandPlans> {
  const plan: fc.Arbitrary<ByHandPlan> = fc.record({
    what: fc.constantFrom('match', 'match', 'unmatch', 'confirm', 'unconfirm'),
    clearing_pick: fc.nat({ max: 10 }),
    purchase_pick: fc.nat({ max: 10 }),
    is_stale: seldom(8),
    of_any_card: seldom(8),
  });
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
    is_undone: fc.boolean(),
  });
}

/** The request, about a clearing for which it makes sense, if the card has one. */
export function byHandOf(plan: ByHandPlan, model: ReferenceModel, card: ReferenceCard): RematchWire {
  const { what, clearing_pick, purchase_pick, is_stale, of_any_card } = plan;
  const clearing = pickOf(card.clearings, clearing_pick, (one) => isMeant(what, one))!;
  const { answer } = clearing;
  const purchases = of_any_card ? model.cards.flatMap(purchasesOf) : purchasesOf(card);
  const chosen_id = pick(purchases, purchase_pick)?.id ?? null;
  const seen = {
    expected_authorization_id: is_stale ? chosen_id : answer.authorization_id,
    expected_matched_by: chosenByHand(clearing) === null ? 'rule' : 'person',
  } as const;
  const authorization_id = what === 'match' ? chosen_id : what === 'confirm' ? answer.authorization_id : null;
  const is_confirmation = what === 'confirm' || what === 'unconfirm';
  return { vcn_id: card.id, clearing_id: answer.id, authorization_id, is_confirmation, ...seen };
}

function isMeant(what: ByHandPlan['what'], clearing: AnsweredClearing): boolean {
  if (clearing.message.cycle !== undefined) return false;
  if (what === 'unconfirm') return chosenByHand(clearing) !== null;
  if (what === 'match') return chosenByHand(clearing) === null;
  return clearing.purchase !== null;
}
