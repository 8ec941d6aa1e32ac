import { agingHoldEnd, utcDateAt } from '@tallystick/velocity';

/**
 * The instant of a pass, and the end of holds made at it. Cards with the same zone and number of
 * days share the computation.
 */
export class PassInstant {
  readonly now_ms: number;
  /** The UTC date, YYYY-MM-DD. */
  readonly today: string;
  readonly #ends: { readonly hold_days: number; readonly time_zone: string; readonly end_ms: number }[] = [];

  constructor(now_ms: number) {
    this.now_ms = now_ms;
    this.today = utcDateAt(now_ms);
  }

  holdEnd(hold_days: number, time_zone: string): number {
    const known = this.#ends.find((end) => end.hold_days === hold_days && end.time_zone === time_zone);
    if (known !== undefined) return known.end_ms;
    const end_ms = agingHoldEnd(this.now_ms, hold_days, time_zone);
    this.#ends.push({ hold_days, time_zone, end_ms });
    return end_ms;
  }
}
