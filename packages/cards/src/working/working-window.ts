import { assert, money } from '@tallystick/kernel';
import { amountLeft } from '../issuing/balance.ts';
import type { WindowCounters } from '../issuing/card.ts';

export interface Change {
  readonly held?: number;
  readonly cleared?: number;
  readonly uses?: number;
}

/**
 * The counters of one window of a card within a pass. `sum` collects separately what changed in the
 * rows of the window, so that counters and rows can be compared.
 */
export class WorkingWindow {
  readonly start_ms: number;
  readonly #before: Pick<WindowCounters, 'held' | 'cleared' | 'uses'>;
  #held: number;
  #cleared: number;
  #is_changed = false;
  #uses: number;
  #sum_held = 0;
  #sum_cleared = 0;
  #sum_uses = 0;

  constructor(start_ms: number, before: Pick<WindowCounters, 'held' | 'cleared' | 'uses'> | null) {
    this.start_ms = start_ms;
    this.#before = before ?? { held: money(0), cleared: money(0), uses: 0 };
    this.#held = this.#before.held;
    this.#cleared = this.#before.cleared;
    this.#uses = this.#before.uses;
  }

  /** The window of a card's counters that is over. It has no row yet, and needs one unless it is unused. */
  static ended(counters: WindowCounters): WorkingWindow {
    const window = new WorkingWindow(counters.window_start_ms, counters);
    window.#is_changed = counters.held !== 0 || counters.cleared !== 0 || counters.uses !== 0;
    return window;
  }

  get held(): number {
    return this.#held;
  }

  get cleared(): number {
    return this.#cleared;
  }

  get uses(): number {
    return this.#uses;
  }

  /**
   * Also when later changes undid the first, so that a window is stored however a pass is split.
   */
  get isChanged(): boolean {
    return this.#is_changed;
  }

  /** What the window leaves of the total, in minor units. */
  available(total_card_amount: number): number {
    return amountLeft(total_card_amount, { held: this.#held, cleared: this.#cleared });
  }

  change({ held = 0, cleared = 0, uses = 0 }: Change): void {
    if (held !== 0 || cleared !== 0 || uses !== 0) this.#is_changed = true;
    this.#held += held;
    this.#cleared += cleared;
    this.#uses += uses;
  }

  /** Adds what changed in the rows of the window. */
  sum({ held = 0, cleared = 0, uses = 0 }: Change): void {
    this.#sum_held += held;
    this.#sum_cleared += cleared;
    this.#sum_uses += uses;
  }

  counters(): WindowCounters {
    return {
      window_start_ms: this.start_ms,
      held: money(this.#held),
      cleared: money(this.#cleared),
      uses: this.#uses,
    };
  }

  /** Violates when the counters changed by another amount than the rows, or fell below 0. */
  check(card_id: number): void {
    const { held, cleared, uses } = this.#before;
    const place = `card ${card_id}, window ${this.start_ms}`;
    assert(this.#held === held + this.#sum_held, `${place}: the counter of holds is not what the holds sum to`);
    assert(this.#uses === uses + this.#sum_uses, `${place}: the counter of uses is not what was used`);
    assert(this.#cleared === cleared + this.#sum_cleared, `${place}: the cleared amount is not what cleared`);
    assert(this.#held >= 0 && this.#uses >= 0, `${place}: a counter is below zero`);
  }
}
