import { showDecimal } from '@tallystick/kernel';
import { compareTexts } from '../calendar.ts';
import type { AuthorizedPurchase, CardLine, ClearedAmount } from '../records.ts';
import type { NearQuestion } from './near-items.ts';
import type { MerchantComparison, ReferenceComparison, Suggestion, SuggestionDifferences } from './suggestion.ts';

/** A clearing with the line or authorization that it is compared with. */
export function compareReferences(
  clearing: ClearedAmount,
  other: CardLine | AuthorizedPurchase,
): { readonly reference: ReferenceComparison; readonly merchant: MerchantComparison } {
  if ('account_id' in other) {
    return {
      reference: compareTextsOf(clearing.statement_key, other.statement_key),
      merchant: namesMerchant(other.text, clearing.merchant_name) ? 'same' : 'unknown',
    };
  }
  const references = [
    compareTextsOf(clearing.approval_code, other.approval_code),
    compareTextsOf(clearing.net_reference_number, other.net_reference_number),
  ];
  return {
    reference: references.find((one) => one === 'same') ?? references.find((one) => one === 'other') ?? 'missing',
    merchant: compareMerchants(clearing, other),
  };
}

function compareTextsOf(one: string | null, other: string | null): ReferenceComparison {
  if (one === null || other === null) return 'missing';
  return one === other ? 'same' : 'other';
}

interface MerchantFields {
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
}

function compareMerchants(one: MerchantFields, other: MerchantFields): MerchantComparison {
  if (one.merchant_id !== null && one.merchant_id === other.merchant_id) return 'same';
  const [name, other_name] = [plainName(one.merchant_name), plainName(other.merchant_name)];
  if (name !== '' && name === other_name) return 'same';
  const is_known = (name !== '' && other_name !== '') || (one.merchant_id !== null && other.merchant_id !== null);
  return is_known ? 'other' : 'unknown';
}

/** Fewer letters and digits name no merchant within the text of a line. */
const name_length_min = 4;

/** Whether the text of a line contains the name of a merchant, in whatever spelling. */
function namesMerchant(text: string, merchant_name: string | null): boolean {
  const name = plainName(merchant_name);
  return name.length >= name_length_min && plainName(text).includes(name);
}

/** Letters and digits only, in lower case: banks shorten and change all else. */
function plainName(name: string | null): string {
  if (name === null) return '';
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** More days between two dates count as a difference. */
const near_enough_days = 3;

/**
 * The order of suggestions: amounts that are far off without the same reference last; else the most
 * that agrees of amount, reference, merchant and days first, then the least that contradicts; then
 * the nearest amount, the nearest date, the earlier one, the smaller amount, the fewest records, and
 * last the ids.
 */
export function compareSuggestions(a: Suggestion, b: Suggestion): number {
  return (
    Number(isUnlikely(a)) - Number(isUnlikely(b)) ||
    agreementsOf(b.differs) - agreementsOf(a.differs) ||
    contradictionsOf(a.differs) - contradictionsOf(b.differs) ||
    Math.abs(a.differs.amount) - Math.abs(b.differs.amount) ||
    Math.abs(a.differs.days) - Math.abs(b.differs.days) ||
    compareTexts(a.date, b.date) ||
    a.differs.amount - b.differs.amount ||
    idsOf(a).length - idsOf(b).length ||
    idsOf(a)[0]! - idsOf(b)[0]! ||
    compareTexts(idsOf(a).join(), idsOf(b).join())
  );
}

function isUnlikely(suggestion: Suggestion): boolean {
  return isFarOff(suggestion) && suggestion.differs.reference !== 'same';
}

function agreementsOf({ amount, days, reference, merchant }: SuggestionDifferences): number {
  return [amount === 0, reference === 'same', merchant === 'same', Math.abs(days) <= near_enough_days].filter(Boolean)
    .length;
}

function contradictionsOf({ reference, merchant }: SuggestionDifferences): number {
  return Number(reference === 'other') + Number(merchant === 'other');
}

function idsOf({ authorization_id, clearing_ids, line_ids }: Suggestion): readonly number[] {
  return [...(authorization_id === null ? [] : [authorization_id]), ...clearing_ids, ...line_ids];
}

/** How amounts may differ, in percent: a tip, a rate or a fee explains no more. */
const amount_percent_max = 20;

/**
 * Whether the records are near enough, and of the same sign, to be suggested at all. An amount that
 * is further off needs the same reference, or clears a part of a purchase at the same merchant.
 */
export function isNear(
  suggestion: Pick<Suggestion, 'amount' | 'differs'>,
  { side, amount }: Pick<NearQuestion, 'side' | 'amount'>,
  days_max: number,
): boolean {
  const { reference, merchant, days } = suggestion.differs;
  if (Math.abs(days) > days_max || Math.sign(suggestion.amount) !== Math.sign(amount)) return false;
  if (reference === 'same' || !isFarOff(suggestion)) return true;
  const [purchased, cleared] =
    side === 'uncleared_purchase'
      ? [suggestion.amount, amount]
      : side === 'unauthorized_clearing'
        ? [amount, suggestion.amount]
        : [0, 0];
  return Math.abs(cleared) < Math.abs(purchased) && merchant === 'same' && reference !== 'other';
}

function isFarOff({ amount, differs }: Pick<Suggestion, 'amount' | 'differs'>): boolean {
  return Math.abs(differs.amount) * 100 > Math.abs(amount - differs.amount) * amount_percent_max;
}

/** `same amount, same merchant, no reference in common, booked 2 days later`. */
export function describeDifferences(
  { amount, days, reference, merchant }: SuggestionDifferences,
  verb: 'authorized' | 'booked' | 'settled',
  currency: string,
): string {
  const clauses = [
    amount === 0 ? 'same amount' : `${showDecimal(Math.abs(amount), currency)} ${amount > 0 ? 'more' : 'less'}`,
    ...{ same: ['same reference'], other: ['another reference'], missing: [] }[reference],
    ...{ same: ['same merchant'], other: ['another merchant'], unknown: [] }[merchant],
    `${verb} ${describeDays(days)}`,
  ];
  return clauses.join(', ');
}

/** `2 days later`, `1 day earlier`, `on the same day`. */
export function describeDays(days: number): string {
  if (days === 0) return 'on the same day';
  const count = Math.abs(days);
  return `${count} day${count === 1 ? '' : 's'} ${days < 0 ? 'earlier' : 'later'}`;
}
