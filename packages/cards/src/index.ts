export * from './issuing/available-balance.ts';
export * from './issuing/cancel-card.ts';
export * from './issuing/card.ts';
export { code_failures_max, countedCodeFailures } from './issuing/code-failures.ts';
export { authorization_hold_days_max, uses_max, valid_for_months_max } from './issuing/controls.ts';
export * from './issuing/details.ts';
export * from './issuing/issue-card.ts';
export * from './issuing/ports.ts';
export {
  activity_max,
  type CardReading,
  listAuthorizations,
  listCards,
  listClearings,
  readCard,
} from './issuing/read-cards.ts';
export * from './issuing/real-card.ts';
export * from './issuing/reset-code-failures.ts';
export * from './issuing/update-card.ts';
export * from './mailing/email-card.ts';
export { type Mail, type MailOutcome, type MailState, mail_states, maskAddress } from './mailing/mail.ts';
export * from './mailing/mail-courier.ts';
export * from './mailing/mail-outbox.ts';
export * from './mailing/mailbox.ts';
export * from './mailing/manage-mails.ts';
export { isLinkOpen, type OpenedCard, openOneTimeLink } from './mailing/one-time-link.ts';
export * from './mailing/ports.ts';
export * from './mailing/retention.ts';
export { callAfterPass } from './network/after-pass.ts';
export type { AuthorizationAnswer, ClearingAnswer, ReleaseAnswer, RematchAnswer } from './network/answer.ts';
export * from './network/authorization.ts';
export {
  type AuthorizationItem,
  authorizationItem,
  type CardOfItem,
  issuer_responses,
  type ReplacementAmounts,
  type UnreadItem,
  unread_item,
} from './network/authorization-item.ts';
export * from './network/clearing.ts';
export { type ClearingChange, changing_clearing_fields, clearingChangeOf } from './network/clearing-change.ts';
export { clearing_class_meanings } from './network/clearing-class.ts';
export { type ClearingItem, clearingItem, isBreak, isMatched } from './network/clearing-item.ts';
export {
  answers,
  isRefund,
  type Outcome,
  outcomes,
  type Question,
  type Reason,
  reasons,
} from './network/decline-reasons.ts';
export { type CandidateRecords, findCandidates, type MatchCandidate } from './network/find-candidates.ts';
export { foldMessages, type NetworkAnswer } from './network/fold-messages.ts';
export * from './network/ledger.ts';
export * from './network/match-candidates.ts';
export type { MatchCard } from './network/match-case.ts';
export { barredOf, chosenOf, type MatchChoice, type MatchChoices } from './network/match-choice.ts';
export { evidenceOf, type MatchEvidence } from './network/match-evidence.ts';
export { match_reach_days } from './network/match-reach.ts';
export { type MatchRule, match_rules } from './network/match-rules.ts';
export * from './network/message.ts';
export * from './network/neighbour-search.ts';
export { network_reference_part } from './network/net-reference-number.ts';
export * from './network/network.ts';
export { newAuthorization } from './network/new-authorization.ts';
export type { PassPorts } from './network/pass.ts';
export * from './network/past-window.ts';
export * from './network/reconciliation-act.ts';
export { sourceOf } from './network/refuse-clearing.ts';
export * from './network/release-message.ts';
export * from './network/rematch-by-hand.ts';
export * from './network/rematch-message.ts';
export type { Records } from './network/settle.ts';
export * from './network/sweep.ts';
export * from './network/unknown-number.ts';
export { unmatchedClearing } from './network/unmatched-clearing.ts';
export { ByNumberIndex } from './numbers/by-number-index.ts';
export { account_range_form, accountRangeSize, cardNumberAt } from './numbers/card-number.ts';
export * from './numbers/card-vault.ts';
export * from './numbers/pan.ts';
export { refuseNumbersOfCards } from './numbers/refuse-numbers.ts';
export * from './numbers/reveal.ts';
export * from './numbers/rotate-keys.ts';
export { type SuspectNumber, suspectNumbers } from './numbers/suspect-number.ts';
export * from './quarantine/applied-record.ts';
export * from './quarantine/manage-quarantine.ts';
export * from './quarantine/quarantined-record.ts';
export {
  excerptOfInput,
  identityOfRecord,
  openSealed,
  type QuarantinePorts,
  type SealedClearing,
  type SealedOrigin,
  type SealedRecord,
  sealInput,
  sealRecord,
} from './quarantine/sealed-clearing.ts';
export { reduceAuthorization, reduceClearing } from './retention/reduce.ts';
export * from './retention/settled.ts';
export * from './simulation/simulated-network.ts';
