export * from './activity/activity.ts';
export {
  type Backtest,
  type BacktestProgress,
  type BacktestStatus,
  backtest_kept_days,
  backtest_lease_ms,
  backtest_statuses,
  backtests_kept_max,
  backtests_max,
  type DifferenceSum,
  differences_kept_max,
  type RecordedDifference,
} from './backtest/backtest.ts';
export type { ControlsChange } from './backtest/controls-change.ts';
export type { HistoryPlace, HistoryReads } from './backtest/history.ts';
export * from './backtest/manage-backtests.ts';
export * from './backtest/ports.ts';
export {
  type Difference,
  type DifferenceKind,
  difference_kinds,
  type ReplayedDecision,
} from './backtest/replay-card.ts';
export type { ReplayedCard } from './backtest/replayed-state.ts';
export * from './backtest/run-backtests.ts';
export type { AskingBounds } from './consulting/ask-company.ts';
export * from './consulting/ask-endpoint.ts';
export * from './consulting/client-answer.ts';
export * from './consulting/consulting-network.ts';
export * from './consulting/decision-endpoint.ts';
export * from './consulting/host-decision-maker.ts';
export * from './consulting/manage-decision-endpoint.ts';
export * from './consulting/ports.ts';
export * from './consulting/read-consultations.ts';
export * from './consulting/stand-in.ts';
export * from './consulting/test-endpoint.ts';
export type {
  AuthorizationAnswer,
  AuthorizationOutcome,
  ClearingAnswer,
  ConsultAnswer,
  FreezeAnswer,
  ReleaseAnswer,
  RematchAnswer,
} from './deciding/answer.ts';
export { authorization_event_type } from './deciding/authorize.ts';
export { answers, type Outcome, outcomes, type Question, type Reason, reasons } from './deciding/decline-reasons.ts';
export { decisionForSender, decisionOf, factsOf, type ShownDecision } from './deciding/explain-decision.ts';
export * from './deciding/fold-messages.ts';
export { refuseCycle } from './deciding/refuse-rematch.ts';
export * from './deciding/sweep-holds.ts';
export { listCardVersions } from './explaining/card-versions.ts';
export { type DecisionRow, type RowResult, row_results } from './explaining/decision-table.ts';
export {
  type Blocker,
  blockers,
  type ExplainedDecision,
  explainAuthorization,
  type WindowBalance,
} from './explaining/explain-authorization.ts';
export {
  type CompanyTerms,
  client_parts,
  type TriedDecision,
  type TryDecisionRequest,
  try_days_max,
  tryDecision,
} from './explaining/try-decision.ts';
export { type Balance, balanceOf, type HoldEnds, no_hold_ends } from './issuing/balance.ts';
export * from './issuing/cancel-card.ts';
export * from './issuing/card.ts';
export { shownFreeze } from './issuing/card-event.ts';
export { type CardState, type CardVersion, cardStateOf, endCardVersion } from './issuing/card-version.ts';
export { code_failures_max, countedCodeFailures, resetCodeFailures } from './issuing/code-failures.ts';
export { authorization_hold_days_max, uses_max, valid_for_months_max } from './issuing/controls.ts';
export * from './issuing/details.ts';
export * from './issuing/issue-card.ts';
export * from './issuing/oversee-cards.ts';
export * from './issuing/ports.ts';
export {
  activity_max,
  type CardReading,
  findCard,
  listAuthorizations,
  listCards,
  listClearings,
  readCard,
} from './issuing/read-cards.ts';
export * from './issuing/real-card.ts';
export * from './issuing/search-authorizations.ts';
export * from './issuing/search-clearings.ts';
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
  issuer_responses,
  type ReplacementAmounts,
  type ShownHold,
  type UnreadItem,
  unread_item,
} from './records/authorization-item.ts';
export type { CardAct, CardActKind, CopyFields } from './records/card-act.ts';
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
  type RecordOfFile,
  type Records,
  type ReplacedFields,
  sentReferenceOf,
} from './records/clearing.ts';
export { contentOf, isRounded, namesNothing } from './records/clearing-identity.ts';
export { type ClearingItem, clearingItem, isBreak, isMatched } from './records/clearing-item.ts';
export * from './records/consultation.ts';
export type { DecisionFacts, Fact, FactValue } from './records/decision-facts.ts';
export * from './records/freeze-message.ts';
export { hold_days_default, isEndingHold } from './records/hold-lifetime.ts';
export * from './records/ledger.ts';
export * from './records/match-by-hand.ts';
export { barredOf, chosenOf, type MatchChoice, type MatchChoices } from './records/match-choice.ts';
export * from './records/message.ts';
export { newAuthorization } from './records/new-authorization.ts';
export { unmatchedClearing } from './records/new-clearing.ts';
export { note_length_max, type ReleaseMessage, readReleaseNote } from './records/release-message.ts';
export * from './records/say.ts';
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
