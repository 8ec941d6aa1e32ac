export type { AuthorizationAnswer, ClearingAnswer } from './answer.ts';
export * from './authorization.ts';
export { type AuthorizationItem, authorizationItem, type CardOfItem } from './authorization-item.ts';
export * from './available-balance.ts';
export * from './cancel-card.ts';
export * from './card.ts';
export { account_range_form } from './card-number.ts';
export * from './clearing.ts';
export { type ClearingItem, clearingItem } from './clearing-item.ts';
export { authorization_hold_days_most, transactions_max_most, valid_for_months_most } from './controls.ts';
export { type Question, type Reason, reasons } from './decide.ts';
export { email_length_max, emails_max, isEmail, metadata_bytes_max } from './details.ts';
export * from './email-card.ts';
export * from './issue-card.ts';
export { type Mail, type MailState, mail_states, maskedAddress } from './mail.ts';
export * from './mail-ports.ts';
export * from './mailbox.ts';
export * from './manage-mails.ts';
export { isSettledByReference, match_reach_days } from './match.ts';
export * from './message.ts';
export * from './network.ts';
export { isLinkOpen, type OpenedCard, openOneTimeLink } from './one-time-link.ts';
export * from './pan.ts';
export { foldMessages, type NetworkAnswer, type PassPorts } from './pass.ts';
export * from './ports.ts';
export {
  activity_max,
  type CardReading,
  listAuthorizations,
  listCards,
  listClearings,
  readCard,
} from './read-cards.ts';
export * from './real-card.ts';
export * from './reveal.ts';
export * from './rotate-keys.ts';
export * from './send-mails.ts';
export * from './sweep.ts';
export * from './update-card.ts';
