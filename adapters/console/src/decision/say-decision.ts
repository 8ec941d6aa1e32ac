/**
 * A decision as one sentence that a support person can read to the cardholder. It says nothing that
 * completes the details of a card: no expiry that was expected, no count of wrong codes.
 */
import { showAmount } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';

export type ExplainedDecision = Results['virtualCards.decisions.read'];

type Code = ExplainedDecision['decision']['code'];

/** What a sentence is made of. */
interface Decided {
  readonly explained: ExplainedDecision;
  /** The currency of the card's limits. */
  readonly currency: string;
  /** A fact of the decision by its name; undefined: it is not known. */
  fact(name: string): string | number | undefined;
  amount(name: string): string | null;
}

/** Returns the sentence, with its stop. */
export function sayDecision(explained: ExplainedDecision, currency: string): string {
  const facts = new Map(explained.decision.facts.map(({ name, value }) => [name, value]));
  const decided: Decided = {
    explained,
    currency,
    fact: (name) => facts.get(name),
    amount(name) {
      const value = facts.get(name);
      return typeof value === 'number' ? showAmount(value, currency) : null;
    },
  };
  const { authorization, decision, applied_anyway } = explained;
  const what = whatItIs(decided);
  if (isReversal(authorization)) return `${what} was recorded, so that nothing of it is held.`;
  if (decision.code !== 'V') return `${what} was declined because ${reasons[decision.code](decided)}.`;
  if (authorization.status === 'declined')
    return `${what} was declined by the card network itself, not by this service.`;
  if (applied_anyway) {
    const broken = authorization.broken_reason;
    const despite = broken === null ? '' : `, although ${reasons[broken](decided)}`;
    return `${what} was approved by the card network itself${despite}.`;
  }
  const { partial_approval, approved_amount } = authorization;
  const part =
    partial_approval && approved_amount !== undefined ? ` in part, for ${showAmount(approved_amount, currency)}` : '';
  return `${what} was approved${part}.`;
}

/** Why a message was declined: what follows "because". */
const reasons: Readonly<Record<Code, (decided: Decided) => string>> = {
  I: () => 'no card has the number that was entered',
  K: ({ fact }) => {
    if (fact('status') === 'Canceled') return 'the card is canceled';
    if (fact('company_status') === 'closed') return 'the account of the company is closed';
    const since = fact('frozen_at');
    return since === undefined ? 'the card was not active' : `the card was frozen on ${day(String(since))}`;
  },
  A: () => 'the expiry date that was entered is not that of the card',
  B: ({ fact }) => {
    const expiry = fact('expiry');
    return expiry === undefined ? 'the card has expired' : `the card expired at the end of ${month(String(expiry))}`;
  },
  C: ({ fact }) => {
    const [failures, most] = [Number(fact('code_failures')), Number(fact('code_failures_max'))];
    return failures > most
      ? 'a wrong security code was entered too often on that day, so that no code is accepted until the day is over (UTC)'
      : 'the security code that was entered is wrong';
  },
  D: ({ fact }) => {
    const [date, from, to] = ['date', 'valid_starting_on', 'valid_ending_on'].map((name) => fact(name));
    if (date !== undefined && from !== undefined && date < from)
      return `the card is valid only from ${day(String(from))}`;
    return to === undefined ? 'the card was not valid on that day' : `the card was valid only until ${day(String(to))}`;
  },
  M: ({ fact }) => {
    const [expected, sent] = [fact('currency_expected'), fact('currency_sent')];
    if (expected === undefined || sent === undefined) return 'the card does not accept its currency';
    return `the card accepts only purchases in ${expected}, and this one was in ${sent}`;
  },
  J: ({ explained: { authorization } }) => {
    const { mcc, mcc_description } = authorization;
    return `the card may not be used for this kind of merchant (${mcc_description === null ? 'category' : `${mcc_description}, category`} ${mcc})`;
  },
  H: ({ fact }) =>
    fact('broken_rule') === 'deny'
      ? 'the card may not be used at this merchant'
      : 'the card may be used at named merchants only, and this is none of them',
  L: ({ fact }) => {
    const country = fact('merchant_country');
    if (country === undefined || country === 'unknown') return 'the merchant did not say in which country it is';
    return `the card may not be used in the country of the merchant (${country})`;
  },
  N: ({ fact }) =>
    fact('broken_rule') === 'forbidden'
      ? 'the card may be used only without showing it, such as online'
      : 'the card may be used only where it is shown, not online',
  E: ({ fact, amount }) => {
    const sum = Number(fact('asked') ?? 0) + Number(fact('increment_of') ?? 0);
    const [least, most] = [amount('per_transaction_min'), amount('per_transaction_max')];
    const is_below = sum < Number(fact('per_transaction_min') ?? 0);
    const total = fact('increment_of') === undefined ? '' : ', together with what was approved before';
    if (is_below && least !== null) return `a purchase with this card must be at least ${least}`;
    return most === null
      ? 'the amount is not allowed for one purchase'
      : `one purchase with this card may be at most ${most}${total}`;
  },
  G: (decided) => {
    const most = decided.fact('transactions_max');
    const times =
      most === undefined
        ? 'as often as it may be'
        : Number(most) === 1
          ? 'once, which is all'
          : `${most} times, which is all`;
    return `the card was already used ${times}${windowWords(decided)}`;
  },
  F: (decided) => {
    const left = Number(decided.fact('available') ?? Number.NaN);
    const limit = `the ${limitName(decided)}`;
    if (Number.isNaN(left)) return `it is more than what was left of ${limit}`;
    const total = decided.amount('total_card_amount');
    if (left <= 0) return `nothing of ${limit}${total === null ? '' : `, ${total},`} was left`;
    return `only ${showAmount(left, decided.currency)} of ${limit} were left`;
  },
  P: ({ fact }) => {
    const rule = fact('stand_in_rule');
    if (rule === undefined) return 'the company that issued the card declined it';
    return 'the company that issued the card could not be asked in time, and its rule for that case declines it';
  },
  U: ({ explained: { authorization } }) =>
    authorization.id === null ? 'the service could not decide in time' : 'it had been taken back before it arrived',
  V: () => 'no reason applied',
};

/** The meaning of each code in a few words: `F more than what is left`. */
export const code_words: Readonly<Record<Code, string>> = {
  I: 'unknown card number',
  K: 'canceled, frozen or closed',
  A: 'wrong expiry date',
  B: 'expired',
  C: 'wrong security code',
  D: 'outside its validity',
  M: 'wrong currency',
  J: 'merchant category not allowed',
  H: 'merchant not allowed',
  L: 'country not allowed',
  N: 'card present or not',
  E: 'limit of one purchase',
  G: 'number of uses',
  F: 'more than what is left',
  P: 'declined by the company',
  U: 'could not be decided',
  V: 'approved',
};

/** `The purchase of 120.00 EUR at Shell on 29 November 2026`. */
function whatItIs({ explained: { authorization, decided_at } }: Decided): string {
  const { merchant_amount, merchant_currency, merchant_name, message_type_indicator: type } = authorization;
  const refund = /^2[08]/.test(authorization.card_holder_transaction_type_code ?? '');
  const is_check = merchant_amount === 0 && !isReversal(authorization);
  const noun = isReversal(authorization) ? 'reversal' : refund ? 'refund' : is_check ? 'check of the card' : 'purchase';
  const amount = is_check ? '' : ` of ${showAmount(merchant_amount, merchant_currency)}`;
  const billed =
    !is_check && authorization.billing_currency !== merchant_currency
      ? ` (${showAmount(authorization.billing_amount, authorization.billing_currency)})`
      : '';
  const merchant = plain(merchant_name ?? '');
  const where = merchant === '' ? '' : ` at ${merchant}`;
  const told = type.endsWith('Advice') && noun !== 'reversal' ? ', which the card network reported,' : '';
  return `The ${noun}${amount}${billed}${where} on ${day(decided_at)}${told}`;
}

function isReversal({ message_type_indicator }: ExplainedDecision['authorization']): boolean {
  return message_type_indicator.startsWith('Reversal');
}

/** The windows of limits, by the control `recurring`. */
export const window_words: ReadonlyMap<unknown, string> = new Map([
  ['Daily', 'day'],
  ['Weekly', 'week'],
  ['Monthly', 'month'],
  ['Quarterly', 'quarter'],
  ['Yearly', 'year'],
]);

function limitName({ explained: { controls } }: Decided): string {
  return window_words.has(controls?.recurring)
    ? `${String(controls?.recurring).toLowerCase()} limit`
    : 'limit of the card';
}

function windowWords({ explained: { controls } }: Decided): string {
  const words = window_words.get(controls?.recurring);
  return words === undefined ? ' that is allowed' : ` that is allowed per ${words}`;
}

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function day(text: string): string {
  return days.format(new Date(text));
}

function month(text: string): string {
  return months.format(new Date(`${text}-01T00:00:00Z`));
}

/**
 * The name of a merchant without characters that nobody reads out. One that runs from right to left
 * is isolated, so that the words around it keep their order.
 */
function plain(name: string): string {
  const shown = name.replace(/\p{C}/gu, '').replace(/\s+/gu, ' ').trim();
  return right_to_left.test(shown) ? `\u2068${shown}\u2069` : shown;
}

const right_to_left = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
