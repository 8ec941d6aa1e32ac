import { isMccAllowed } from '@tallystick/templates';
import { utcMonthStart } from '@tallystick/velocity';
import type { Authorization, AuthorizationMessage, DeclineCode } from '../records/authorization.ts';
import { isRefund } from '../records/authorization.ts';
import type { LedgerCard } from '../records/ledger.ts';

/** Everything that a decision depends on. Amounts are minor units of the card's limit currency. */
export interface Question {
  /** Null when no card has the number. */
  readonly card: LedgerCard | null;
  readonly message: AuthorizationMessage;
  /**
   * The amount that the limits compare: `limitAmount`, less what earlier reversals and advices
   * account for.
   */
  readonly amount: number;
  /** The open authorization whose hold this message adds to; null unless it is incremental. */
  readonly increment_of: Pick<Authorization, 'authorized'> | null;
  /** The available amount of the window in which the message counts. */
  readonly available: number;
  readonly uses: number;
  readonly now_ms: number;
  /** The GMT date of `now_ms`, YYYY-MM-DD. */
  readonly today: string;
  /** Whether the message has a code that is wrong or counts as wrong (`failsCode`). */
  readonly code_fails: boolean;
}

/** An outcome of a decision, as the authorization item shows it. */
export interface Outcome {
  readonly code: DeclineCode | 'V';
  readonly vcn_response: string;
  /** The network's response code (DE39). */
  readonly response_code: string;
  /** When this is the outcome: a clause for the documentation. */
  readonly meaning: string;
}

export interface Reason extends Outcome {
  readonly code: DeclineCode;
  /**
   * A limit on amounts or uses, which does not apply to refunds. The other reasons say that the
   * card may not be used this way.
   */
  readonly limit: boolean;
  readonly applies: (question: Question) => boolean;
}

/**
 * The reasons in the order in which they are checked. The first that applies is the answer
 * (decision: network side).
 */
export const reasons: readonly Reason[] = [
  {
    code: 'I',
    vcn_response: 'Bad VCN-RCN mapping',
    response_code: '14',
    meaning: 'no card has this number',
    limit: false,
    applies: ({ card }) => card === null,
  },
  {
    code: 'K',
    vcn_response: 'Database status bad',
    response_code: '62',
    meaning: 'the card is canceled, or its company is closed',
    limit: false,
    applies: ofCard((card) => card.status === 'Canceled' || card.company_status === 'closed'),
  },
  {
    code: 'A',
    vcn_response: 'Expiry date mismatch',
    response_code: '54',
    meaning: 'the message has an expiry, and the card has a different one',
    limit: false,
    applies: ofCard((card, { message }) => message.expiry !== null && message.expiry !== card.expiry),
  },
  {
    code: 'B',
    vcn_response: 'VCN expired',
    response_code: '54',
    meaning: 'the expiry month of the card is over (UTC)',
    limit: false,
    applies: ofCard((card, { now_ms }) => now_ms > expiryInstant(card.expiry)),
  },
  {
    code: 'C',
    vcn_response: 'CVC2 mismatch',
    response_code: '63',
    meaning:
      'the message has a card verification code, and the card has a different one. After 10 wrong codes of a card in a UTC day, any code',
    limit: false,
    applies: ({ code_fails }) => code_fails,
  },
  {
    code: 'D',
    vcn_response: 'Validity period limit',
    response_code: '57',
    meaning: 'the date (GMT) is before `valid_starting_on` or after `valid_ending_on`',
    limit: false,
    applies: ofCard((card, { today }) => today < card.valid_starting_on || today > card.valid_ending_on),
  },
  {
    code: 'M',
    vcn_response: 'Transaction type restriction',
    response_code: '57',
    meaning: 'the card has a `currency`, and the merchant currency is a different one',
    limit: false,
    applies: ofCard((card, { message }) => card.currency !== null && message.merchant_currency !== card.currency),
  },
  {
    code: 'J',
    vcn_response: 'MCC limit',
    response_code: '57',
    meaning: 'the purchase template of the card does not allow the merchant category',
    limit: false,
    applies: ofCard((card, { message }) => !isMccAllowed(card.template, message.mcc)),
  },
  {
    code: 'E',
    vcn_response: 'Transaction amount limit',
    response_code: '61',
    meaning:
      'the amount (with an increment: the sum) is above `per_transaction_max`, or below `per_transaction_min` and not 0',
    limit: true,
    // The limits of one transaction apply to the sum with an increment. A verification of 0 is
    // exempt from the minimum.
    applies: ofCard((card, { amount, increment_of }) => {
      const sum = amount + (increment_of?.authorized ?? 0);
      return sum > card.per_transaction_max || (sum < card.per_transaction_min && amount !== 0);
    }),
  },
  {
    code: 'G',
    vcn_response: 'Transaction number usage',
    response_code: '65',
    meaning: 'the card was already used `transactions_max` times in its window',
    limit: true,
    applies: ofCard(
      (card, { uses, increment_of }) =>
        increment_of === null && card.transactions_max !== null && uses >= card.transactions_max,
    ),
  },
  {
    code: 'F',
    vcn_response: 'Cumulative amount limit',
    response_code: '61',
    meaning: 'the amount is above `available_balance`',
    limit: true,
    applies: ({ amount, available }) => amount > available,
  },
];

const unable: Outcome = {
  code: 'U',
  vcn_response: 'Unable to process',
  response_code: '96',
  meaning: 'the service failed (HTTP 503), or the original arrived after its reversal',
};

const valid: Outcome = {
  code: 'V',
  vcn_response: 'Valid',
  response_code: '00',
  meaning: 'no reason to decline applies',
};

/** Every outcome of a decision: the reasons to decline in their order, then U and V. */
export const outcomes: readonly Outcome[] = [...reasons, unable, valid];

export const answers = Object.fromEntries(outcomes.map((outcome) => [outcome.code, outcome])) as Readonly<
  Record<Outcome['code'], Outcome>
>;

/** The first reason to decline, or null to approve. */
export function firstReason(question: Question): DeclineCode | null {
  const without_limits = isRefund(question.message.card_holder_transaction_type_code);
  for (const reason of reasons) {
    if (without_limits && reason.limit) continue;
    if (reason.applies(question)) return reason.code;
  }
  return null;
}

export function isLimit(code: DeclineCode | null): boolean {
  return reasons.some((reason) => reason.code === code && reason.limit);
}

/**
 * The last instant of use of an expiry (YYYY-MM): 23:59:59 UTC on the last day of that month
 * (service specification 2.1); epoch milliseconds.
 */
export function expiryInstant(expiry: string): number {
  return utcMonthStart(Number(expiry.slice(0, 4)), Number(expiry.slice(5, 7)) + 1) - 1_000;
}

/** A rule about a known card. It does not apply to an unknown number. */
function ofCard(rule: (card: LedgerCard, question: Question) => boolean): Reason['applies'] {
  return (question) => question.card !== null && rule(question.card, question);
}
