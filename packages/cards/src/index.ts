export * from './answer.ts';
export * from './authorization.ts';
export {
  type AuthorizationItem,
  authorizationItem,
  authorizationPayload,
  type CardOfItem,
} from './authorization-item.ts';
export { authorization_event_type } from './authorize.ts';
export * from './available-balance.ts';
export * from './cancel-card.ts';
export * from './card.ts';
export * from './card-event.ts';
export * from './card-number.ts';
export { clearing_event_type } from './clear.ts';
export * from './clearing.ts';
export { type ClearingItem, clearingItem } from './clearing-item.ts';
export {
  authorization_hold_days_most,
  expiryOf,
  lastDayOf,
  transactions_max_most,
  valid_for_months_most,
  years_to_expiry,
} from './controls.ts';
export { expiryInstant, type Question, type Reason, reasons } from './decide.ts';
export {
  email_length_max,
  emails_max,
  isEmail,
  json_nesting_max,
  metadata_bytes_max,
  network_data_bytes_max,
} from './details.ts';
export * from './email-card.ts';
export * from './issue-card.ts';
export * from './mail.ts';
export * from './mail-ports.ts';
export * from './mailbox.ts';
export * from './manage-mails.ts';
export { isSettledByReference, match_reach_days } from './match.ts';
export * from './message.ts';
export * from './network.ts';
export { isLinkOpen, link_ms_max, type OpenedCard, openOneTimeLink } from './one-time-link.ts';
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
