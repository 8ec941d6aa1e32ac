import fc from 'fast-check';
import { type AuthorizationPlan, authorizationPlan, type MessageKind, plainPlan } from './authorizations.ts';
import { seldom } from './picks.ts';

/** The freeze of a card, and messages about it. */
export interface FreezePlan {
  readonly card_pick: number;
  readonly messages: readonly AuthorizationPlan[];
  /** Whether the card stays frozen. */
  readonly is_left: boolean;
}

export function freezePlan(messages: readonly MessageKind[]): fc.Arbitrary<FreezePlan> {
  const plain = fc.constantFrom<MessageKind>('request', 'refund', 'advice').chain(plainPlan);
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    messages: fc.array(fc.oneof(plain, authorizationPlan(messages)), { minLength: 1, maxLength: 3 }),
    is_left: seldom(4),
  });
}
