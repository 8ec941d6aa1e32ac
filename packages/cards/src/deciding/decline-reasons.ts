import {
  type BrokenRule,
  brokenByCountry,
  brokenByMerchant,
  brokenByPresence,
  isMccAllowed,
  type Merchant,
  type MerchantControls,
} from '@tallystick/templates';
import { utcMonthStart } from '@tallystick/velocity';
import { amountLeft } from '../issuing/balance.ts';
import { shownFreeze } from '../issuing/card-event.ts';
import type { CardState } from '../issuing/card-version.ts';
import { code_failures_max } from '../issuing/code-failures.ts';
import type { Authorization, AuthorizationMessage, DeclineCode } from '../records/authorization.ts';
import { isRefund } from '../records/authorization.ts';
import type { FactValue } from '../records/decision-facts.ts';
import type { LedgerCard } from '../records/ledger.ts';
import { merchantOf } from '../records/merchant.ts';
import type { ValueName } from './decision-values.ts';

/** What of a card a decision depends on. */
export type QuestionCard = CardState & Pick<LedgerCard, 'expiry' | 'company_status' | 'template' | 'controls_version'>;

/** What of a message the reasons read. */
export type QuestionMessage = Pick<
  AuthorizationMessage,
  'expiry' | 'mcc' | 'merchant_currency' | 'merchant_id' | 'card_holder_transaction_type_code' | 'details' | 'say'
>;

/** Everything that a decision depends on. Amounts are minor units of the card's limit currency. */
export interface Question {
  /** Null when no card has the number. */
  readonly card: QuestionCard | null;
  readonly message: QuestionMessage;
  /**
   * The amount that the limits compare: `limitAmount`, less what earlier reversals and advices
   * account for.
   */
  readonly amount: number;
  /** The open authorization whose hold this message adds to; null unless it is incremental. */
  readonly increment_of: Pick<Authorization, 'authorized'> | null;
  /** The start of the window in which the message counts; epoch milliseconds. */
  readonly window_start_ms: number;
  /** What that window holds, has cleared (a signed sum) and has used, without this message. */
  readonly held: number;
  readonly cleared: number;
  readonly uses: number;
  readonly now_ms: number;
  /** The GMT date of `now_ms`, YYYY-MM-DD. */
  readonly today: string;
  /** Whether the message has a code that is wrong or counts as wrong (`failsCode`). */
  readonly code_fails: boolean;
  /** The wrong codes of the card on that date, this message included. */
  readonly code_failures: number;
}

/** An outcome of a decision, as the authorization item shows it. */
export interface Outcome {
  readonly code: DeclineCode | 'V';
  readonly vcn_response: string;
  /** The network's response code (DE39). */
  readonly response_code: string;
  /** When this is the outcome: a clause for the documentation. */
  readonly meaning: string;
  /**
   * What the message was compared with, by the names of the controls. The authorization keeps these
   * values when this is the outcome, so they are short.
   */
  readonly limits: Readonly<Record<string, (question: Question) => FactValue>>;
  /** The facts of every decision that belong to this outcome. */
  readonly values: readonly ValueName[];
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
    limits: {},
    values: [],
  },
  {
    code: 'K',
    vcn_response: 'Database status bad',
    response_code: '62',
    meaning: 'the card is canceled or frozen, or its company is closed',
    limit: false,
    applies: ofCard(
      (card, { message }) =>
        card.status === 'Canceled' ||
        card.company_status === 'closed' ||
        (card.frozen_at_ms !== null && !isRefund(message.card_holder_transaction_type_code)),
    ),
    limits: {
      status: knownCard((card) => card.status),
      company_status: knownCard((card) => card.company_status),
      frozen_at: knownCard((card) => shownFreeze(card).frozen_at),
    },
    values: [],
  },
  {
    code: 'A',
    vcn_response: 'Expiry date mismatch',
    response_code: '54',
    meaning: 'the message has an expiry, and the card has a different one',
    limit: false,
    applies: ofCard((card, { message }) => message.expiry !== null && message.expiry !== card.expiry),
    limits: { expiry_expected: knownCard((card) => card.expiry), expiry_sent: ({ message }) => message.expiry },
    values: [],
  },
  {
    code: 'B',
    vcn_response: 'VCN expired',
    response_code: '54',
    meaning: 'the expiry month of the card is over (UTC)',
    limit: false,
    applies: ofCard((card, { now_ms }) => now_ms > expiryInstant(card.expiry)),
    limits: { expiry: knownCard((card) => card.expiry) },
    values: ['date'],
  },
  {
    code: 'C',
    vcn_response: 'CVC2 mismatch',
    response_code: '63',
    meaning:
      'the message has a card verification code, and the card has a different one. After 10 wrong codes of a card in a UTC day, any code',
    limit: false,
    applies: ({ code_fails }) => code_fails,
    limits: { code_failures: (question) => question.code_failures, code_failures_max: () => code_failures_max },
    values: [],
  },
  {
    code: 'D',
    vcn_response: 'Validity period limit',
    response_code: '57',
    meaning: 'the date (GMT) is before `valid_starting_on` or after `valid_ending_on`',
    limit: false,
    applies: ofCard((card, { today }) => today < card.valid_starting_on || today > card.valid_ending_on),
    limits: {
      valid_starting_on: knownCard((card) => card.valid_starting_on),
      valid_ending_on: knownCard((card) => card.valid_ending_on),
    },
    values: ['date'],
  },
  {
    code: 'M',
    vcn_response: 'Transaction type restriction',
    response_code: '57',
    meaning: 'the card has a `currency`, and the merchant currency is a different one',
    limit: false,
    applies: ofCard((card, { message }) => card.currency !== null && message.merchant_currency !== card.currency),
    limits: { currency_expected: knownCard((card) => card.currency) },
    values: ['currency_sent'],
  },
  {
    code: 'J',
    vcn_response: 'MCC limit',
    response_code: '57',
    meaning: 'the purchase template of the card does not allow the merchant category',
    limit: false,
    applies: ofCard((card, { message }) => !isMccAllowed(card.template, message.mcc)),
    limits: {
      template_id: knownCard((card) => card.template_id),
      mcc_rule: knownCard((card) => card.template.mcc_rule),
    },
    values: ['mcc'],
  },
  {
    code: 'H',
    vcn_response: 'Merchant ID limit',
    response_code: '57',
    meaning: 'the merchant controls of the card or of its template do not allow the merchant, by its id and its name',
    limit: false,
    ...ofMerchant(brokenByMerchant),
    values: ['merchant_id', 'merchant_name'],
  },
  {
    code: 'L',
    vcn_response: 'Geographic restriction',
    response_code: '57',
    meaning: 'the merchant controls of the card or of its template do not allow the country of the merchant',
    limit: false,
    ...ofMerchant(brokenByCountry),
    values: ['merchant_country'],
  },
  {
    code: 'N',
    vcn_response: 'Card presence restriction',
    response_code: '57',
    meaning: 'the merchant controls of the card or of its template require the card to be present, or forbid it',
    limit: false,
    ...ofMerchant(brokenByPresence),
    values: ['card_present'],
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
    limits: {
      per_transaction_min: knownCard((card) => card.per_transaction_min),
      per_transaction_max: knownCard((card) => card.per_transaction_max),
    },
    values: ['asked', 'increment_of'],
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
    limits: { transactions_max: knownCard((card) => card.transactions_max) },
    values: ['uses', 'window_start', 'window_end'],
  },
  {
    code: 'F',
    vcn_response: 'Cumulative amount limit',
    response_code: '61',
    meaning: 'the amount is above `available_balance`',
    limit: true,
    applies: ofCard(({ total_card_amount }, question) => question.amount > amountLeft(total_card_amount, question)),
    limits: { total_card_amount: knownCard((card) => card.total_card_amount) },
    values: ['asked', 'cleared', 'held', 'available', 'window_start', 'window_end'],
  },
  {
    code: 'P',
    vcn_response: 'Declined by the client',
    response_code: '05',
    meaning: 'the decision endpoint of the company declines the request, or what stands in for it',
    limit: false,
    applies: ({ message }) => message.say?.answer === 'decline',
    limits: {
      decided_by: ({ message }) => message.say?.by ?? null,
      consultation: ({ message }) => message.say?.outcome ?? null,
      stand_in_rule: ({ message }) => message.say?.stood_in ?? null,
    },
    values: ['asked'],
  },
];

const unable: Outcome = {
  code: 'U',
  vcn_response: 'Unable to process',
  response_code: '96',
  meaning: 'the service failed (HTTP 503), or the original arrived after its reversal',
  limits: {},
  values: ['asked'],
};

const valid: Outcome = {
  code: 'V',
  vcn_response: 'Valid',
  response_code: '00',
  meaning: 'no reason to decline applies',
  limits: {
    total_card_amount: knownCard((card) => card.total_card_amount),
    transactions_max: knownCard((card) => card.transactions_max),
  },
  values: ['asked', 'available_after', 'uses_left', 'window_start', 'window_end'],
};

/** Every outcome of a decision: the reasons to decline in their order, then U and V. */
export const outcomes: readonly Outcome[] = [...reasons, unable, valid];

export const answers = Object.fromEntries(outcomes.map((outcome) => [outcome.code, outcome])) as Readonly<
  Record<Outcome['code'], Outcome>
>;

/** The first reason to decline, or null to approve. Refunds meet no limit. */
export function firstReason(
  question: Question,
  { without_limits = isRefund(question.message.card_holder_transaction_type_code) } = {},
): DeclineCode | null {
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

/** A limit of a known card; null for an unknown number. */
function knownCard(limit: (card: QuestionCard) => FactValue): (question: Question) => FactValue {
  return ({ card }) => (card === null ? null : limit(card));
}

/** A rule of the merchant controls: both those of the card and those of its template must allow. */
function ofMerchant(
  broken: (controls: MerchantControls, merchant: Merchant) => BrokenRule | null,
): Pick<Reason, 'applies' | 'limits'> {
  const find = ({ card, message }: Question): readonly ['card' | 'template', BrokenRule] | null => {
    const own = card?.merchant_controls ?? null;
    const shared = card?.template.merchant_controls ?? null;
    if (own === null && shared === null) return null;
    const merchant = merchantOf(message);
    const by_own = own === null ? null : broken(own, merchant);
    if (by_own !== null) return ['card', by_own];
    const by_shared = shared === null ? null : broken(shared, merchant);
    return by_shared === null ? null : ['template', by_shared];
  };
  return {
    applies: (question) => find(question) !== null,
    limits: {
      controls_of: (question) => find(question)?.[0] ?? null,
      broken_rule: (question) => find(question)?.[1] ?? null,
    },
  };
}

/** A rule about a known card. It does not apply to an unknown number. */
function ofCard(rule: (card: QuestionCard, question: Question) => boolean): Reason['applies'] {
  return (question) => question.card !== null && rule(question.card, question);
}
