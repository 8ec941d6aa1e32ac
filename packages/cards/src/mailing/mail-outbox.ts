/** A mail that goes out after commit. Holds no number: it is composed when it is sent. */
export interface NewMail {
  readonly company_id: number;
  readonly card_id: number;
  readonly kind: 'card_details';
  readonly recipients: readonly string[];
  readonly created_at_ms: number;
}

/** Mails to be sent, within a transaction: durable with the change they tell of. */
export interface MailOutbox {
  /** One mail for each of the recipients, due at once. */
  queue(mail: NewMail): Promise<void>;
}
