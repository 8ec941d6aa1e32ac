import type { HoldDays } from '@tallystick/access';

/**
 * The value of `companies.hold_days` when the holds of a company never end. No hold ends after 0
 * days.
 */
export const no_end = 0;

/** The domain's form of `companies.hold_days`. */
export function holdDaysOf(column: number | null): HoldDays | null {
  return column === no_end ? 'never' : column;
}
