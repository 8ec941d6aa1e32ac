export { Disagreement } from './agreement.ts';
export {
  type AmountPlan,
  type AuthorizationPlan,
  authorizationOf,
  authorizationPlan,
} from './arbitraries/authorizations.ts';
export { type ByHandPlan, type ByHandPlans, byHandOf, byHandPlans } from './arbitraries/by-hand.ts';
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
export { type ClearingFlaw, type ClearingPlan, clearingOf, clearingPlan } from './arbitraries/clearings.ts';
export * from './arbitraries/clocks.ts';
export * from './arbitraries/holds.ts';
export * from './arbitraries/reconciliation.ts';
export {
  type CorrectionPlan,
  type EarlyReversalPlan,
  earlyReversalOf,
  earlyReversalPlan,
  type ReversalPlan,
  reversalOf,
  reversalPlan,
} from './arbitraries/reversals.ts';
export type { Command } from './commands/command.ts';
export { commandSequence } from './commands.ts';
export { compareAll } from './comparison.ts';
export { account_store_contract, newAccount, newLine, newStatement } from './contracts/account-store.ts';
export { type ApiKeyStorage, api_key_store_contract } from './contracts/api-key-store.ts';
export { type AuditChainStorage, auditChainContract } from './contracts/audit-chain-store.ts';
export { audit_log_contract } from './contracts/audit-log.ts';
export { type AuditTables, type Tampering, tamperingWith } from './contracts/audit-tampering.ts';
export { authorisation_store_contract } from './contracts/authorisation-store.ts';
export { bankStoreContract, newShown } from './contracts/bank-store.ts';
export { card_store_contract } from './contracts/card-store.ts';
export { companyRow } from './contracts/company-row.ts';
export { type CompanyStorage, company_store_contract } from './contracts/company-store.ts';
export { consent_store_contract, newAccessConsent, newFundsConsent } from './contracts/consent-store.ts';
export type { ContractRule } from './contracts/contract-rule.ts';
export { delivery_desk_contract } from './contracts/delivery-desk.ts';
export { delivery_queue_contract } from './contracts/delivery-queue.ts';
export { delivery_store_contract } from './contracts/delivery-store.ts';
export { eventStoreContract, type PropertyRuns } from './contracts/event-store.ts';
export { FileRandom, file_mutations, type SoundFile } from './contracts/file-mutations.ts';
export * from './contracts/file-reading.ts';
export { type IdempotencyStorage, idempotency_store_contract } from './contracts/idempotency-store.ts';
export { import_store_contract } from './contracts/import-store.ts';
export { ledger_contract } from './contracts/ledger.ts';
export { ledger_bounds } from './contracts/ledger-bounds.ts';
export { ledger_by_hand_contract } from './contracts/ledger-by-hand.ts';
export { ledger_deadline_contract } from './contracts/ledger-deadline.ts';
export { ledger_order_contract } from './contracts/ledger-order.ts';
export * from './contracts/line-format.ts';
export type { MailStorage, MailStorageTx } from './contracts/mail-storage.ts';
export { mail_store_contract } from './contracts/mail-store.ts';
export { mailbox_store_contract } from './contracts/mailbox-store.ts';
export { type MailerWithReceiver, type MailReception, mailer_contract } from './contracts/mailer.ts';
export * from './contracts/network-messages.ts';
export { one_time_link_store_contract } from './contracts/one-time-link-store.ts';
export { outbox_contract } from './contracts/outbox.ts';
export { quarantine_store_contract } from './contracts/quarantine-store.ts';
export { real_card_store_contract } from './contracts/real-card-store.ts';
export { reconciliationReportsContract } from './contracts/reconciliation-reports.ts';
export { reconciliationStoreContract } from './contracts/reconciliation-store.ts';
export { reduced_records_contract } from './contracts/reduced-records.ts';
export { refusalOf } from './contracts/refusals.ts';
export { relayOrderContract } from './contracts/relay-order.ts';
export { type RetentionStorage, retention_store_contract } from './contracts/retention-store.ts';
export * from './contracts/storage.ts';
export { type SubscriptionStorage, subscription_store_contract } from './contracts/subscription-store.ts';
export { template_store_contract } from './contracts/template-store.ts';
export { newThirdParty, third_party_store_contract } from './contracts/third-party-store.ts';
export { unit_of_work_contract } from './contracts/unit-of-work.ts';
export { card_vault_contract, sealer_contract, type VaultGenerations, type VaultOfRing } from './contracts/vault.ts';
export { webhook_states_contract } from './contracts/webhook-states.ts';
export type { WebhookStorage, WebhookStorageTx } from './contracts/webhook-storage.ts';
export { webhook_store_contract } from './contracts/webhook-store.ts';
export type { ReferenceCard } from './reference/card.ts';
export { type Case, cases } from './reference/cases.ts';
export { type Quarantined, ReferenceModel } from './reference/model.ts';
export { type ReferenceItem, type ReferenceKeySetting, referenceItems } from './reference/reconciliation.ts';
export type * from './reference/reconciliation-records.ts';
export * from './run-model.ts';
export * from './system.ts';
