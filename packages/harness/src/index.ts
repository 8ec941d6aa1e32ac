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
export { card_store_contract } from './contracts/card-store.ts';
export type { ContractRule } from './contracts/contract-rule.ts';
export { delivery_queue_contract } from './contracts/delivery-queue.ts';
export { eventStoreContract, type PropertyRuns } from './contracts/event-store.ts';
export { ledger_contract } from './contracts/ledger.ts';
export * from './contracts/network-messages.ts';
export { real_card_store_contract } from './contracts/real-card-store.ts';
export { makeCard, makeOwner, type StorageTx, type StorageUnderTest, sealedNumber } from './contracts/storage.ts';
export { template_store_contract } from './contracts/template-store.ts';
export { unit_of_work_contract } from './contracts/unit-of-work.ts';
export type { ReferenceCard } from './reference/card.ts';
export { ReferenceModel } from './reference/model.ts';
export * from './run-model.ts';
export * from './system.ts';
