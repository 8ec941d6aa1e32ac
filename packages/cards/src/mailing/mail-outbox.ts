/** A mail to send after commit. Contains no number: the message is composed when it is sent. */
export interface NewMail {
  readonly company_id: number;
  readonly card_id: number;
  readonly kind: 'card_details';
  readonly recipients: readonly string[];
  readonly created_at_ms: number;
}

/**
 * Mails to send, within a transaction. They are durable together with the change that they
 * describe.
 */
export interface MailOutbox {
  /** Queues one mail for each of the recipients, due immediately. */
  queue(mail: NewMail): Promise<void>;
}
