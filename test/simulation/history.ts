import type { AuthorizationWire, CardRequest, ClearingWire } from '@tallystick/harness';

/** A card as the answer to its creation shows it, with the number in clear. */
export interface CreatedCard {
  readonly id: number;
  readonly card_number: string;
  readonly cvc: string;
  readonly expiry: string;
}

/** The answer to an authorization, with the fields that every door has. */
export interface AuthorizationAnswer {
  /** Null for an unknown number. */
  readonly id: number | null;
  readonly response_code: string;
  readonly vcn_response: string;
  readonly issuer_response: string;
  readonly approval_code: string | null;
  /** The service could not decide; the network sends the message again. */
  readonly fault: boolean;
}

export interface ClearingAnswer {
  readonly id: number;
  readonly authorization_id: number | null;
}

/** What each operation takes and answers. Other operations are recorded with any values. */
export interface Operations {
  readonly createCard: { readonly input: CardRequest; readonly value: CreatedCard };
  readonly updateCard: {
    readonly input: { readonly card_id: number; readonly changes: CardRequest };
    readonly value: unknown;
  };
  readonly cancelCard: { readonly input: { readonly card_id: number }; readonly value: unknown };
  readonly releaseHold: {
    readonly input: { readonly card_id: number; readonly authorization_id: number };
    readonly value: unknown;
  };
  readonly authorize: { readonly input: AuthorizationWire; readonly value: AuthorizationAnswer };
  readonly clear: { readonly input: ClearingWire; readonly value: ClearingAnswer };
  readonly other: { readonly input: unknown; readonly value: unknown };
}

export type Outcome<Value> =
  | { readonly kind: 'done'; readonly at_ms: number; readonly value: Value }
  | { readonly kind: 'refused'; readonly at_ms: number; readonly code: string; readonly fields: readonly string[] }
  /** A fault: whether it was done is not known. */
  | { readonly kind: 'failed'; readonly at_ms: number; readonly error: string };

interface CallOf<Name extends keyof Operations> {
  readonly operation: Name;
  /** Given with the call, and different for every call, also for a repeated message. */
  readonly request_id: string;
  /** Null for the network. */
  readonly company_id: number | null;
  readonly input: Operations[Name]['input'];
  readonly sent_at_ms: number;
  /** Null while there is no answer, and for good when the process or the connection died. */
  outcome: Outcome<Operations[Name]['value']> | null;
}

/** A call from outside. */
export type Call<Name extends keyof Operations = keyof Operations> = { [N in Name]: CallOf<N> }[Name];

/** A request that a receiver got, whatever it answered. */
export interface ReceivedDelivery {
  /** Simulated machine time, by which deliveries are signed. */
  readonly at_ms: number;
  readonly callback_url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the sender got; null: it got no answer. */
  readonly status: number | null;
}

/** A secret of a webhook, as its client knows it. */
export interface WebhookSecret {
  readonly webhook_id: number;
  readonly secret: string;
  readonly from_ms: number;
  /** When a rotation replaced it; null: it did not. */
  until_ms: number | null;
}

/** A mail that the mail server accepted. */
export interface ReceivedMail {
  readonly at_ms: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Whether the sender got the acceptance. */
  readonly is_confirmed: boolean;
}

/** A statement as its bank wrote it, whether or not it was imported. Amounts in minor units. */
export interface BankStatement {
  readonly account_number: string;
  readonly as_of: string;
  readonly opening_balance: number;
  readonly closing_balance: number;
  readonly lines: readonly {
    readonly bank_reference: string | null;
    readonly booking_date: string;
    readonly amount: number;
    readonly bai_code: string;
  }[];
}

/** A file that was offered for import. */
export interface OfferedFile {
  readonly at_ms: number;
  readonly name: string;
  readonly format: string;
  /** The transaction ids of its clearings that the whole file has. */
  readonly transaction_ids: readonly string[];
  /** Whether it was cut before its end. */
  readonly is_truncated: boolean;
}

/** The use of a token by a third party. */
export interface TokenUse {
  readonly at_ms: number;
  readonly consent_id: string;
  readonly grant: 'access' | 'refresh';
  readonly issued_at_ms: number;
  /** Whether the service accepted it. */
  readonly is_accepted: boolean;
  /** What was read with it; absent: nothing. */
  readonly read?: { readonly resource: 'accounts' | 'balances'; readonly account_number: string };
}

/**
 * What was observed of the service from outside: what was sent and what came back, in the order of
 * its beginning. The oracles judge by it, and by what is committed. The activities, the receivers
 * and the mail server record it.
 */
export interface History {
  readonly calls: Call[];
  readonly deliveries: ReceivedDelivery[];
  readonly webhook_secrets: WebhookSecret[];
  readonly mails: ReceivedMail[];
  readonly bank_statements: BankStatement[];
  readonly files: OfferedFile[];
  readonly token_uses: TokenUse[];
}

export function newHistory(): History {
  return {
    calls: [],
    deliveries: [],
    webhook_secrets: [],
    mails: [],
    bank_statements: [],
    files: [],
    token_uses: [],
  };
}
