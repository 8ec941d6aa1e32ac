/**
 * How long a hold lasts: the days of the card's aging velocity, else those of its company, else 30
 * (decision: windows and holds). `agingHoldEnd` of velocity computes the instant.
 */
import { Temporal } from '@tallystick/kernel';
import { agingHoldEnd, utcDateAt } from '@tallystick/velocity';
import type { Controls } from '../issuing/card.ts';
import type { Authorization } from './authorization.ts';
import type { LedgerCard } from './ledger.ts';

/** The days of a hold on a card without aging velocity, unless its company chose otherwise. */
export const hold_days_default = 30;

type AgingControls = Pick<Controls, 'authorization_hold_days' | 'aging_velocity_time_zone'>;

/** The instant of a pass. Cards with the same zone and number of days share the end of new holds. */
export class PassInstant {
  readonly now_ms: number;
  /** The UTC date, YYYY-MM-DD. */
  readonly today: string;
  readonly #ends: { readonly hold_days: number; readonly time_zone: string; readonly end_ms: number }[] = [];

  constructor(now_ms: number) {
    this.now_ms = now_ms;
    this.today = utcDateAt(now_ms);
  }

  /** The end of a hold made now, epoch milliseconds; null when the company's holds never end. */
  holdEnd({
    authorization_hold_days,
    aging_velocity_time_zone,
    hold_days,
  }: AgingControls & Pick<LedgerCard, 'hold_days'>): number | null {
    if (authorization_hold_days !== null && aging_velocity_time_zone !== null) {
      return this.#endAfter(authorization_hold_days, aging_velocity_time_zone);
    }
    return hold_days === 'never' ? null : this.#endAfter(hold_days ?? hold_days_default, 'UTC');
  }

  #endAfter(hold_days: number, time_zone: string): number {
    const known = this.#ends.find((end) => end.hold_days === hold_days && end.time_zone === time_zone);
    if (known !== undefined) return known.end_ms;
    const end_ms = agingHoldEnd(this.now_ms, hold_days, time_zone);
    this.#ends.push({ hold_days, time_zone, end_ms });
    return end_ms;
  }
}

/** Whether an amount is held that has an end. */
export function isEndingHold<Hold extends Pick<Authorization, 'status' | 'hold_end_ms'> & { readonly held: number }>(
  hold: Hold,
): hold is Hold & { readonly hold_end_ms: number } {
  return (hold.status === 'open' || hold.status === 'partially_cleared') && hold.held > 0 && hold.hold_end_ms !== null;
}

export function isHoldOver({ hold_end_ms }: Pick<Authorization, 'hold_end_ms'>, now_ms: number): boolean {
  return hold_end_ms !== null && hold_end_ms <= now_ms;
}

/**
 * Whether a hold had ended by a settlement date, YYYY-MM-DD: the date is later than the local date
 * on which the hold ended (decision: matching). The zone is that of the card's aging velocity, else UTC.
 */
export function isHoldOverOn(
  { authorization_hold_days, aging_velocity_time_zone }: AgingControls,
  { hold_end_ms }: Pick<Authorization, 'hold_end_ms'>,
  settlement_date: string,
): boolean {
  if (hold_end_ms === null) return false;
  const zone = authorization_hold_days === null ? null : aging_velocity_time_zone;
  return settlement_date > (zone === null ? utcDateAt(hold_end_ms) : localDateAt(hold_end_ms, zone));
}

function localDateAt(at_ms: number, time_zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO(time_zone).toPlainDate().toString();
}
