import type { Payload } from '@tallystick/events';
import type { RetentionBounds } from '@tallystick/kernel';
import { type Recurring, windowAt } from '@tallystick/velocity';
import { match_reach_days } from '../matching/match-case.ts';
import type { Authorization, AuthorizationMessage } from '../records/authorization.ts';
import type { Clearing, ClearingMessage } from '../records/clearing.ts';

/**
 * What is left of a record after its retention time (docs/adr/0028).
 *
 * A record is not deleted, because later messages refer to it: a repeated message gets its first
 * answer, a reversal or an advice finds its original, a clearing its authorization, a credit its
 * clearing, and clearings are matched again. All fields that rules read stay, also the merchant id:
 * rules compare dates within messages, so that no age puts a record out of their reach. What merchant
 * controls read stays, so that a decision can be explained and replayed. What no rule reads is
 * removed: the rest of the description of the merchant and of the transaction. The answer to a
 * repeated message takes it from that message.
 */

/** The details of an authorization that stay: decisions and answers depend on them. */
const kept_detail_names = [
  'approved_amount',
  'broken_reason',
  'card_holder_transaction_type_code',
  'card_present',
  'merchant_country',
  'merchant_name',
  'merchant_state_or_country_code',
  'partial_approval',
  'replacement_amounts',
  'response_code',
] as const;

/** The authorization without what no later message needs. */
export function reduceAuthorization(authorization: Authorization, now_ms: number): Authorization {
  const kept = kept_detail_names.filter((name) => Object.hasOwn(authorization.details, name));
  const details = Object.fromEntries(kept.map((name) => [name, authorization.details[name]])) as Payload;
  return { ...authorization, details, request_id: null, reduced_at_ms: now_ms };
}

/** The clearing without what no later message needs. */
export function reduceClearing(clearing: Clearing, now_ms: number): Clearing {
  return { ...clearing, details: {}, request_id: null, reduced_at_ms: now_ms };
}

/** The authorization as it was recorded, for the answer to the same message again. */
export function restoreAuthorization(
  recorded: Authorization,
  { details }: Pick<AuthorizationMessage, 'details'>,
): Authorization {
  return recorded.reduced_at_ms === null ? recorded : { ...recorded, details: { ...details, ...recorded.details } };
}

/** The clearing as it was recorded, for the answer to the same clearing again. */
export function restoreClearing(recorded: Clearing, { details }: Pick<ClearingMessage, 'details'>): Clearing {
  return recorded.reduced_at_ms === null ? recorded : { ...recorded, details };
}

/**
 * The least number of days that authorizations and clearings are kept in full, so that a card lists
 * an authorization beside its clearing: the days in which they match by their dates
 * (`match_reach_days`), with time for files that arrive late.
 */
export const authorizations_kept_days_min: number = match_reach_days + 25;

/** An authorization or a clearing, with what decides whether it is settled. */
export interface SettledQuestion {
  readonly record: Pick<Authorization | Clearing, 'window_start_ms' | 'reduced_at_ms'>;
  /** When it was decided or recorded. */
  readonly at_ms: number;
  readonly recurring: Recurring | null;
  /** What the authorization itself, its root, or the authorization of the clearing still holds. */
  readonly held: number;
}

/**
 * Whether a record may be reduced: it is old enough, nothing is held any more, and its window is
 * over, so that a card shows everything that counts in its present window. A window without an end
 * keeps no record: its counters are on the card.
 */
export function isSettled({ record, at_ms, recurring, held }: SettledQuestion, bounds: RetentionBounds): boolean {
  if (record.reduced_at_ms !== null || at_ms >= bounds.before_ms || held > 0) return false;
  if (recurring === null || recurring === 'Continuous') return true;
  return windowAt(recurring, bounds.now_ms).start_ms > record.window_start_ms;
}
