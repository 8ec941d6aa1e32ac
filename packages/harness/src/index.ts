export { Disagreement } from './agreement.ts';
export {
  type AmountPlan,
  type AuthorizationPlan,
  authorizationOf,
  authorizationPlan,
  type MessageKind,
  message_kinds,
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
export * from './arbitraries/repeats.ts';
export {
  type CorrectionPlan,
  type EarlyReversalPlan,
  earlyReversalOf,
  earlyReversalPlan,
  type ReversalPlan,
  reversalOf,
  reversalPlan,
} from './arbitraries/reversals.ts';
export type { Choice } from './choice.ts';
export type { Command } from './commands/command.ts';
export { type CommandName, commandSequence } from './commands/command-sequence.ts';
export { compareAll } from './comparison.ts';
export { type ApiKeyStorage, api_key_store_contract } from './contracts/access/api-key-store.ts';
export { type CompanyStorage, company_store_contract } from './contracts/access/company-store.ts';
export { type IdempotencyStorage, idempotency_store_contract } from './contracts/access/idempotency-store.ts';
export { type PersonStorage, person_store_contract } from './contracts/access/person-store.ts';
export { type PortalLinkStorage, portal_link_store_contract } from './contracts/access/portal-link-store.ts';
export { refusalOf } from './contracts/assertions.ts';
export { account_store_contract, newAccount, newLine, newStatement } from './contracts/bank/account-store.ts';
export { authorisation_store_contract } from './contracts/bank/authorisation-store.ts';
export { bankStoreContract, newShown } from './contracts/bank/bank-store.ts';
export { consent_store_contract, newAccessConsent, newFundsConsent } from './contracts/bank/consent-store.ts';
export { newThirdParty, third_party_store_contract } from './contracts/bank/third-party-store.ts';
export { activity_store_contract } from './contracts/cards/activity-store.ts';
export { authorizationSearchContract } from './contracts/cards/authorization-search.ts';
export { backtest_store_contract } from './contracts/cards/backtest-store.ts';
export { card_store_contract } from './contracts/cards/card-store.ts';
export { quarantine_store_contract } from './contracts/cards/quarantine-store.ts';
export { real_card_store_contract } from './contracts/cards/real-card-store.ts';
export { template_store_contract } from './contracts/cards/template-store.ts';
export {
  card_vault_contract,
  sealer_contract,
  type VaultGenerations,
  type VaultOfRing,
} from './contracts/cards/vault.ts';
export { consultation_store_contract } from './contracts/consulting/consultation-store.ts';
export { decision_endpoint_store_contract } from './contracts/consulting/decision-endpoint-store.ts';
export { eventStoreContract } from './contracts/events/event-store.ts';
export { outbox_contract } from './contracts/events/outbox.ts';
export { relayOrderContract } from './contracts/events/relay-order.ts';
export { type SubscriptionStorage, subscription_store_contract } from './contracts/events/subscription-store.ts';
export { FileRandom, file_mutations, type SoundFile } from './contracts/imports/file-mutations.ts';
export * from './contracts/imports/file-reading.ts';
export { import_store_contract } from './contracts/imports/import-store.ts';
export * from './contracts/imports/line-format.ts';
export { ledger_contract } from './contracts/ledger/ledger.ts';
export { ledger_bounds } from './contracts/ledger/ledger-bounds.ts';
export { ledger_by_hand_contract } from './contracts/ledger/ledger-by-hand.ts';
export { ledger_deadline_contract } from './contracts/ledger/ledger-deadline.ts';
export { ledger_order_contract } from './contracts/ledger/ledger-order.ts';
export * from './contracts/ledger/network-messages.ts';
export type { MailStorage, MailStorageTx } from './contracts/mail/mail-storage.ts';
export { mail_store_contract } from './contracts/mail/mail-store.ts';
export { mailbox_store_contract } from './contracts/mail/mailbox-store.ts';
export { type MailerWithReceiver, type MailReception, mailer_contract } from './contracts/mail/mailer.ts';
export { one_time_link_store_contract } from './contracts/mail/one-time-link-store.ts';
export { newItem } from './contracts/reconciliation/new-item.ts';
export { reconciliationReportsContract } from './contracts/reconciliation/reconciliation-reports.ts';
export { reconciliationStoreContract } from './contracts/reconciliation/reconciliation-store.ts';
export { anotherOf, type ContractRule, type Need, needs, type PropertyRuns } from './contracts/rule.ts';
export { type AuditChainStorage, auditChainContract } from './contracts/storage/audit-chain-store.ts';
export { audit_log_contract } from './contracts/storage/audit-log.ts';
export { type AuditTables, type Tampering, tamperingWith } from './contracts/storage/audit-tampering.ts';
export { reduced_records_contract } from './contracts/storage/reduced-records.ts';
export { type RetentionStorage, retention_store_contract } from './contracts/storage/retention-store.ts';
export * from './contracts/storage/storage.ts';
export { companyRow } from './contracts/storage/storage.ts';
export { unit_of_work_contract } from './contracts/storage/unit-of-work.ts';
export { delivery_desk_contract } from './contracts/webhooks/delivery-desk.ts';
export { delivery_queue_contract } from './contracts/webhooks/delivery-queue.ts';
export { delivery_store_contract } from './contracts/webhooks/delivery-store.ts';
export { webhook_states_contract } from './contracts/webhooks/webhook-states.ts';
export type { WebhookStorage, WebhookStorageTx } from './contracts/webhooks/webhook-storage.ts';
export { webhook_store_contract } from './contracts/webhooks/webhook-store.ts';
export type { Coverage, CoverageKind, Demand } from './coverage.ts';
export * from './faults.ts';
export {
  answerOf,
  type HttpAnswer,
  type HttpKeys,
  type HttpRequest,
  type HttpRole,
  type HttpServer,
  ServerFault,
} from './http/connection.ts';
export { type Beginning, type HttpMapping, httpSystem } from './http/http-system.ts';
export * from './http/resources.ts';
export type { ReferenceCard } from './reference/card.ts';
export { type Case, cases } from './reference/cases.ts';
export { type Quarantined, ReferenceModel } from './reference/model.ts';
export * from './run-model.ts';
export * from './suite.ts';
export * from './system.ts';
