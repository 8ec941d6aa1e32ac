import type { Money } from '@tallystick/kernel';
import type { MatchedIds } from '../item-id.ts';

/** Whether something is equal on both sides, differs, or is not known of one of them. */
export type ReferenceComparison = 'same' | 'other' | 'missing';

export type MerchantComparison = 'same' | 'other' | 'unknown';

/** How suggested records differ from the break. */
export interface SuggestionDifferences {
  /** The suggested amount less that of the break, in minor units. */
  readonly amount: number;
  /** From the date of the break to that of the suggestion; negative when it is earlier. */
  readonly days: number;
  /** The acquirer reference or the approval code. */
  readonly reference: ReferenceComparison;
  readonly merchant: MerchantComparison;
}

/**
 * Records of another item that a break may be matched with. The ids are those that `match` takes.
 */
export interface Suggestion extends MatchedIds {
  /** The place among the suggestions of the break, from 1. */
  readonly number: number;
  /** The item that has the records; null when several have them. */
  readonly item_id: number | null;
  /** Minor units of the currency of the break, purchases positive. */
  readonly amount: Money;
  /** When they were authorized (UTC), settled or booked, YYYY-MM-DD. */
  readonly date: string;
  readonly differs: SuggestionDifferences;
  /** One sentence. */
  readonly reason: string;
}
