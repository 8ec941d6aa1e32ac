import { day_ms } from '@tallystick/velocity';
import type { Authorization, AuthorizationStatus } from '../records/authorization.ts';
import type { Clearing, ClearingMessage } from '../records/clearing.ts';
import { isSettledByReference } from './match-authorization.ts';
import { daysOf, match_reach_days } from './match-case.ts';
import { networkReferenceOf } from './net-reference-number.ts';

/**
 * What a pass has to load of a card's history so that `matchClearing` finds what a clearing belongs
 * to. This is the only place that says so: a ledger translates keys and searches into its queries.
 *
 * 1. `referenceKeys(message)`: roots and clearings of the card that share a key with the message.
 * 2. `merchantSearch(message, ...)`: roots and clearings of the same merchant within reach, unless
 *    the references settled the match.
 * 3. For a credit (`readsReferring`): the clearings of the card whose `clearing_id` names a
 *    clearing found, and those whose `clearing_id` names one of these: other credits, and what was
 *    undone.
 * 4. The authorizations that the clearings found were matched to.
 *
 * That is enough for a clearing that comes last in the canonical order. For others the pass also
 * loads what `NeighbourSearch` asks for.
 */

/** The fields that a key is made of, by the name of its kind. */
export const candidate_key_kinds = ['acquirer_reference_data', 'approval_code', 'network_reference'] as const;

export type CandidateKeyKind = (typeof candidate_key_kinds)[number];

/** A kind, a blank and a value: `approval_code A1B2C3`. */
export type CandidateKey = `${CandidateKeyKind} ${string}`;

/** The fields of a message or a record that identify it within its card. */
type Referenced = Pick<ClearingMessage, 'approval_code' | 'net_reference_number'> &
  Partial<Pick<ClearingMessage, 'acquirer_reference_data'>>;

/**
 * The keys of a clearing message, of a recorded clearing or of a root. A record is a candidate for
 * a message of its card when the two share a key. Roots have no acquirer reference data.
 */
export function referenceKeys(record: Referenced): readonly CandidateKey[] {
  const keys: CandidateKey[] = [];
  const { acquirer_reference_data = null, approval_code } = record;
  const network_reference = networkReferenceOf(record.net_reference_number);
  if (acquirer_reference_data !== null) keys.push(`acquirer_reference_data ${acquirer_reference_data}`);
  if (approval_code !== null) keys.push(`approval_code ${approval_code}`);
  if (network_reference !== null) keys.push(`network_reference ${network_reference}`);
  return keys;
}

export function partsOfKey(key: CandidateKey): { readonly kind: CandidateKeyKind; readonly value: string } {
  const blank = key.indexOf(' ');
  return { kind: key.slice(0, blank) as CandidateKeyKind, value: key.slice(blank + 1) };
}

/** A search through the history of a card at one merchant, for rules 5 to 7. */
export interface MerchantSearch {
  readonly merchant_id: string;
  /**
   * Roots decided and clearings recorded before this instant are out of reach; epoch milliseconds.
   */
  readonly since_ms: number;
  /**
   * Amounts of the message, minor units: a root is a candidate when one of its amounts equals one
   * of them.
   */
  readonly merchant_amount: number | null;
  readonly billing_amount: number;
  /** A credit also looks at clearings, and at roots that are cleared, reversed or declined. */
  readonly is_credit: boolean;
}

/**
 * Several searches through the history of a card, as one that finds what they find, and maybe more.
 */
export interface HistorySearch extends Pick<MerchantSearch, 'since_ms' | 'is_credit'> {
  readonly merchant_ids: readonly string[];
  readonly amounts: readonly number[];
}

/** Joins searches of one card, so that a ledger goes through its history only once. */
export function joinSearches(searches: readonly MerchantSearch[]): HistorySearch {
  return {
    merchant_ids: [...new Set(searches.map(({ merchant_id }) => merchant_id))],
    since_ms: searches.reduce((first_ms, { since_ms }) => Math.min(first_ms, since_ms), Number.MAX_SAFE_INTEGER),
    amounts: [
      ...new Set(
        searches.flatMap(({ merchant_amount, billing_amount }) => [merchant_amount ?? billing_amount, billing_amount]),
      ),
    ],
    is_credit: searches.some(({ is_credit }) => is_credit),
  };
}

export interface ReferencesFound {
  /** Roots of the card that share a key with the message; others are ignored. */
  readonly roots: readonly Authorization[];
  /** Whether the pass has an authorization message of the same card, which may add a root. */
  readonly has_authorization: boolean;
  readonly now_ms: number;
}

/**
 * A record may arrive before the date that it names, by at most this many days: a file may name a
 * later settlement date. Of records that arrived earlier than that, only those are searched that
 * are as near to the time of the pass.
 */
export const recorded_ahead_days = 8;

/**
 * The first time of arrival that a search around this instant covers. Around an instant after the
 * pass it covers what arrived lately, too: then messages name later dates than that of their
 * arrival.
 */
export function searchedSince(at_ms: number, now_ms: number): number {
  return Math.min(at_ms, now_ms) - (match_reach_days + recorded_ahead_days) * day_ms;
}

/**
 * The search by merchant; null when the message names no merchant or its references settle the
 * match.
 */
export function merchantSearch(
  message: ClearingMessage,
  { roots, has_authorization, now_ms }: ReferencesFound,
): MerchantSearch | null {
  const { merchant_id, merchant_amount, billing_amount } = message;
  if (merchant_id === null) return null;
  if (!has_authorization && isSettledByReference(message, roots)) return null;
  return {
    merchant_id,
    since_ms: searchedSince(daysOf(message.settlement_date) * day_ms, now_ms),
    merchant_amount,
    billing_amount,
    is_credit: message.clearing_type === 'CREDIT',
  };
}

/**
 * Whether the clearings that refer to the clearings found are needed, too: what a credit may still
 * take back depends on them.
 */
export function readsReferring({ clearing_type }: Pick<ClearingMessage, 'clearing_type'>): boolean {
  return clearing_type === 'CREDIT';
}

export const done_statuses = ['cleared', 'reversed', 'declined'] as const satisfies readonly AuthorizationStatus[];

export function isFoundRoot(search: MerchantSearch, root: Authorization): boolean {
  const { merchant_amount, billing_amount } = search;
  return (
    root.merchant_id === search.merchant_id &&
    root.decided_at_ms >= search.since_ms &&
    (search.is_credit || !isDone(root.status)) &&
    (root.merchant_amount === merchant_amount ||
      root.billing_amount === billing_amount ||
      root.authorized === merchant_amount ||
      root.authorized === billing_amount)
  );
}

function isDone(status: AuthorizationStatus): boolean {
  return done_statuses.some((done) => done === status);
}

export function isFoundClearing(search: MerchantSearch, clearing: Clearing): boolean {
  return search.is_credit && clearing.merchant_id === search.merchant_id && clearing.recorded_at_ms >= search.since_ms;
}
