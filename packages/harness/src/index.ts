export { Disagreement } from './agreement.ts';
export {
  type CardPlan,
  cardPlan,
  cardRequest,
  type Flaw,
  flawedCard,
  flawedRequest,
  type UpdatePlan,
  updatePlan,
  updateRequest,
} from './arbitraries/cards.ts';
export * from './arbitraries/clocks.ts';
export {
  type AmountPlan,
  type AuthorizationPlan,
  authorizationOf,
  authorizationPlan,
  type ClearingPlan,
  clearingOf,
  clearingPlan,
  lateOriginalOf,
  type ReversalPlan,
  reversalOf,
  reversalPlan,
} from './arbitraries/messages.ts';
export { type Command, CreateCard, commandSequence, compareAll } from './commands.ts';
export * from './contracts/delivery-queue.ts';
export type { ReferenceCard } from './reference/card.ts';
export { ReferenceModel } from './reference/model.ts';
export * from './run-model.ts';
export * from './system.ts';
