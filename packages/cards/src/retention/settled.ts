import type { RetentionBounds } from '@tallystick/kernel';
import { type Recurring, windowAt } from '@tallystick/velocity';
import type { Authorization } from '../network/authorization.ts';
import type { Clearing } from '../network/clearing.ts';
import { match_reach_days } from '../network/match-reach.ts';

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
  /** The windows of its card. */
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
