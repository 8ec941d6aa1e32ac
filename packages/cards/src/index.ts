export type { AuthorizationAnswer, ClearingAnswer, ReleaseAnswer, RematchAnswer } from './deciding/answer.ts';
export { answers, type Outcome, outcomes, type Question, type Reason, reasons } from './deciding/decline-reasons.ts';
export * from './deciding/fold-messages.ts';
export { refuseCycle } from './deciding/refuse-rematch.ts';
export * from './deciding/sweep-holds.ts';
export * from './issuing/available-balance.ts';
export * from './issuing/cancel-card.ts';
export * from './issuing/card.ts';
export { code_failures_max, countedCodeFailures, resetCodeFailures } from './issuing/code-failures.ts';
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
export * from './issuing/update-card.ts';
export * from './mailing/email-card.ts';
export {
  type Mail,
  type MailOutbox,
  type MailOutcome,
  type MailState,
  mail_states,
  maskAddress,
  type NewMail,
} from './mailing/mail.ts';
export * from './mailing/mail-courier.ts';
export * from './mailing/mailbox.ts';
export * from './mailing/manage-mails.ts';
export { isLinkOpen, type OpenedCard, openOneTimeLink } from './mailing/one-time-link.ts';
export * from './mailing/ports.ts';
export * from './mailing/retention.ts';
export * from './matching/match-candidates.ts';
export { type MatchCard, match_reach_days } from './matching/match-case.ts';
export { evidenceOf, type MatchEvidence } from './matching/match-evidence.ts';
export * from './matching/match-rules.ts';
export * from './matching/neighbour-search.ts';
export { network_reference_part } from './matching/net-reference-number.ts';
export * from './network/network.ts';
export * from './network/simulated-network.ts';
export { ByNumberIndex } from './numbers/by-number-index.ts';
export { account_range_form, accountRangeSize, cardNumberAt } from './numbers/card-number.ts';
export * from './numbers/card-vault.ts';
export * from './numbers/pan.ts';
export * from './numbers/refuse-numbers.ts';
export * from './numbers/reveal.ts';
export * from './numbers/rotate-keys.ts';
export { type SuspectNumber, suspectNumbers } from './numbers/suspect-number.ts';
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
export * from './records/authorization.ts';
export {
  type AuthorizationItem,
  authorizationItem,
  type CardOfItem,
  issuer_responses,
  type ReplacementAmounts,
  type UnreadItem,
  unread_item,
} from './records/authorization-item.ts';
export {
  asSent,
  type Clearing,
  type ClearingChange,
  type ClearingClass,
  type ClearingCycle,
  type ClearingMessage,
  type ClearingOrigin,
  type ClearingType,
  changing_clearing_fields,
  clearing_classes,
  clearing_cycles,
  clearing_types,
  clearingChangeOf,
  isDispute,
  type MatchMaker,
  match_makers,
  match_rule_by_hand,
  match_rule_max,
  matchMakerOf,
  network_origin,
  type RecordOfFile,
  type Records,
  type ReplacedFields,
  sentReferenceOf,
} from './records/clearing.ts';
export { contentOf, isRounded, namesNothing } from './records/clearing-identity.ts';
export { type ClearingItem, clearingItem, isBreak, isMatched } from './records/clearing-item.ts';
export { hold_days_default } from './records/hold-lifetime.ts';
export * from './records/ledger.ts';
export * from './records/match-by-hand.ts';
export { barredOf, chosenOf, type MatchChoice, type MatchChoices } from './records/match-choice.ts';
export * from './records/message.ts';
export { newAuthorization } from './records/new-authorization.ts';
export { unmatchedClearing } from './records/new-clearing.ts';
export * from './records/release-message.ts';
export * from './records/unknown-number.ts';
export { clearing_class_meanings } from './settling/clearing-class.ts';
export * from './settling/find-candidates.ts';
export * from './settling/past-window.ts';
export {
  authorizations_kept_days_min,
  isSettled,
  reduceAuthorization,
  reduceClearing,
  type SettledQuestion,
} from './settling/retention.ts';
export type { PassPorts } from './working/pass.ts';
