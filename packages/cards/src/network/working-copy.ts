import { assert, money } from '@tallystick/kernel';
import { agingHoldEnd, utcDateAt, windowAt } from '@tallystick/velocity';
import type { Counters, WindowCounters } from '../issuing/card.ts';
import { codeFailuresOn } from '../issuing/code-failures.ts';
import { ByNumberIndex } from '../numbers/by-number-index.ts';
import type { Authorization } from './authorization.ts';
import type { Clearing } from './clearing.ts';
import {
  type AuthorizationChange,
  hold_days_default,
  type LedgerCard,
  type LedgerState,
  type PastWindow,
} from './ledger.ts';
import { type Change, WorkingWindow } from './working-window.ts';

/** A record that a pass may change before it writes the record once. */
export type Working<Item> = { -readonly [Name in keyof Item]: Item[Name] };

/** An authorization within a pass: as loaded (null: created in this pass) and as it is now. */
export interface Entry {
  readonly loaded: Authorization | null;
  now: Working<Authorization>;
}

/**
 * The instant of a pass, and the end of holds made at it. Cards with the same zone and number of
 * days share the computation.
 */
class PassInstant {
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

/** Up to this many entries of a card are searched. More are found by a map from their trace ids. */
const searched_entries_max = 8;

/**
 * A card within a pass: its loaded history, and its counters in the window of the pass and in the
 * past windows in which that history counts. Every change of a hold goes through this class, so
 * that rows and counters change together.
 */
export class WorkingCard {
  readonly card: LedgerCard;
  /**
   * The window of the pass. A window never goes back, even when the clock of this machine is behind
   * another.
   */
  readonly window_start_ms: number;
  readonly #now: PassInstant;
  readonly #entries = new Map<number, Entry>();
  /** Null while the entries are few: then they are searched. */
  #by_trace: Map<string, Entry[]> | null = null;
  readonly #changed = new Set<Entry>();
  /** The clearings of the card, oldest first. */
  readonly clearings: Clearing[];
  readonly #clearings_loaded: number;
  /** The window of the pass. */
  readonly #window: WorkingWindow;
  /** The other windows, by their start. */
  readonly #past = new Map<number, WorkingWindow>();
  /** The starts of past windows that have no stored row. */
  readonly #unstored = new Set<number>();
  #next_hold_end_ms: number | null;
  #code_failures: Pick<Counters, 'code_failures' | 'code_failures_on'>;

  constructor(card: LedgerCard, { authorizations, clearings, windows }: History, now: PassInstant) {
    this.card = card;
    this.#now = now;
    const { now_ms } = now;
    const { counters } = card;
    const { start_ms } = windowAt(card.recurring ?? 'Continuous', now_ms);
    const same_window = start_ms <= counters.window_start_ms;
    this.window_start_ms = same_window ? counters.window_start_ms : start_ms;
    this.#window = new WorkingWindow(this.window_start_ms, same_window ? counters : null);
    for (const past of windows) this.#keepWindow(past, past.is_stored);
    if (!same_window) this.#keepWindow(counters, false);
    this.#next_hold_end_ms = counters.next_hold_end_ms;
    this.#code_failures = counters;
    this.clearings = [...clearings].sort(byId);
    this.#clearings_loaded = clearings.length;
    for (const authorization of [...authorizations].sort(byId))
      this.#keep({ loaded: authorization, now: authorization });
    this.#releaseDue();
  }

  get now_ms(): number {
    return this.#now.now_ms;
  }

  /**
   * The amount that a window still has, in minor units of the limit currency. Negative after an
   * advice or a clearing above the limit.
   */
  available(window_start_ms: number): number {
    return this.#windowAt(window_start_ms).available(this.card.total_card_amount);
  }

  /** What a window holds and has cleared, in minor units of the limit currency. */
  counted(window_start_ms: number): Pick<WorkingWindow, 'held' | 'cleared'> {
    return this.#windowAt(window_start_ms);
  }

  /** The uses of the window of the pass. */
  get uses(): number {
    return this.#window.uses;
  }

  /** The wrong codes of the UTC day of the pass. */
  get code_failures(): number {
    return codeFailuresOn(this.#code_failures, this.#now.today);
  }

  countCodeFailure(): void {
    const { code_failures_on } = this.#code_failures;
    const { today } = this.#now;
    this.#code_failures = {
      code_failures: this.code_failures + 1,
      code_failures_on: code_failures_on !== null && code_failures_on > today ? code_failures_on : today,
    };
  }

  /** The recorded messages with this trace id, oldest first. */
  findByTraceId(trace_id: string): readonly Entry[] {
    if (this.#entries.size <= searched_entries_max) {
      return this.#entries
        .values()
        .filter(({ now }) => now.trace_id === trace_id)
        .toArray();
    }
    this.#by_trace ??= Map.groupBy(this.#entries.values(), ({ now }) => now.trace_id);
    return this.#by_trace.get(trace_id) ?? [];
  }

  entry(id: number): Entry | undefined {
    return this.#entries.get(id);
  }

  entries(): Iterable<Entry> {
    return this.#entries.values();
  }

  /**
   * The end of a hold made now, epoch milliseconds: that of aging velocity, else that of the
   * company (decision: windows and holds). Null when the company's holds never end.
   */
  holdEnd(): number | null {
    const { authorization_hold_days, aging_velocity_time_zone, hold_days } = this.card;
    if (authorization_hold_days !== null && aging_velocity_time_zone !== null) {
      return this.#now.holdEnd(authorization_hold_days, aging_velocity_time_zone);
    }
    return hold_days === 'never' ? null : this.#now.holdEnd(hold_days ?? hold_days_default, 'UTC');
  }

  /** Records a message with its hold and its use. */
  insert(authorization: Authorization): Entry {
    const entry: Entry = { loaded: null, now: { ...authorization, held: money(0), uses: 0 } };
    this.#keep(entry);
    this.#changed.add(entry);
    this.move(entry, { held: authorization.held, uses: authorization.uses });
    return entry;
  }

  /** Records a clearing with its effect on the window that it counts in. */
  insertClearing(clearing: Clearing): void {
    this.clearings.push(clearing);
    this.#windowAt(clearing.window_start_ms).change({ cleared: clearing.cleared_effect, uses: clearing.uses });
  }

  /** Changes the hold and the use of an authorization, and the counters of its window. */
  move(entry: Entry, by: Omit<Change, 'cleared'>): void {
    const now = this.copyToChange(entry);
    const held = by.held ?? 0;
    const uses = by.uses ?? 0;
    now.held = money(now.held + held);
    now.uses = (now.uses + uses) as 0 | 1;
    if (held !== 0 || uses !== 0) this.#windowAt(now.window_start_ms).change({ held, uses });
    if (now.held > 0 && now.hold_end_ms !== null) {
      this.#next_hold_end_ms = Math.min(this.#next_hold_end_ms ?? now.hold_end_ms, now.hold_end_ms);
    }
  }

  /** The authorization to change: a copy from the first change on. */
  copyToChange(entry: Entry): Working<Authorization> {
    if (!this.#changed.has(entry)) {
      this.#changed.add(entry);
      entry.now = { ...entry.now };
    }
    return entry.now;
  }

  /**
   * The counters when the pass changed them, else null. Violates when counters and rows disagree.
   */
  changedCounters(): Counters | null {
    this.#check();
    const counters: Counters = {
      ...this.#window.counters(),
      next_hold_end_ms: this.#next_hold_end_ms,
      code_failures: this.#code_failures.code_failures,
      code_failures_on: this.#code_failures.code_failures_on,
    };
    const before = this.card.counters;
    const same = (Object.keys(counters) as (keyof Counters)[]).every((name) => counters[name] === before[name]);
    return same ? null : counters;
  }

  /** The past windows to write: those that the pass changed, and those that have no stored row. */
  changedWindows(): PastWindow[] {
    return [...this.#past.values()]
      .filter((window) => window.isChanged || this.#unstored.has(window.start_ms))
      .map((window) => ({ card_id: this.card.id, ...window.counters() }));
  }

  insertedClearings(): readonly Clearing[] {
    return this.clearings.slice(this.#clearings_loaded);
  }

  insertedAuthorizations(): Authorization[] {
    return [...this.#changed].filter(({ loaded }) => loaded === null).map(({ now }) => now);
  }

  changes(): AuthorizationChange[] {
    return [...this.#changed]
      .filter(({ loaded }) => loaded !== null)
      .map(({ now: { id, card_id, status, authorized, held, cleared, uses, hold_end_ms } }) => {
        return { id, card_id, status, authorized, held, cleared, uses, hold_end_ms };
      });
  }

  #keepWindow(counters: WindowCounters, is_stored: boolean): void {
    this.#past.set(counters.window_start_ms, new WorkingWindow(counters.window_start_ms, counters));
    if (!is_stored && !isUnused(counters)) this.#unstored.add(counters.window_start_ms);
  }

  #windowAt(start_ms: number): WorkingWindow {
    const window = start_ms === this.window_start_ms ? this.#window : this.#past.get(start_ms);
    assert(window !== undefined, `card ${this.card.id}: the counters of window ${start_ms} were not loaded`);
    return window;
  }

  #keep(entry: Entry): void {
    const { id, trace_id } = entry.now;
    this.#entries.set(id, entry);
    if (this.#by_trace === null) return;
    const traced = this.#by_trace.get(trace_id);
    if (traced === undefined) this.#by_trace.set(trace_id, [entry]);
    else traced.push(entry);
  }

  /**
   * A hold holds nothing from its end on. An authorization without a clearing expires
   * (service specification 2.2). One that was cleared in part keeps its status and loses the rest
   * of its hold.
   */
  #releaseDue(): void {
    if (this.#next_hold_end_ms === null || this.#next_hold_end_ms > this.now_ms) return;
    let next_ms: number | null = null;
    for (const entry of this.#entries.values()) {
      const { held, hold_end_ms, status } = entry.now;
      if (held === 0 || hold_end_ms === null) continue;
      if (hold_end_ms > this.now_ms) {
        next_ms = Math.min(next_ms ?? hold_end_ms, hold_end_ms);
      } else {
        this.move(entry, { held: -held });
        if (status === 'open') this.copyToChange(entry).status = 'expired';
      }
    }
    this.#next_hold_end_ms = next_ms;
  }

  #check(): void {
    for (const { loaded, now } of this.#changed) {
      assert(now.held >= 0, `authorization ${now.id} holds less than nothing`);
      assert(now.uses === 0 || now.uses === 1, `authorization ${now.id} counts as ${now.uses} uses`);
      const held = now.held - (loaded?.held ?? 0);
      const uses = now.uses - (loaded?.uses ?? 0);
      if (held !== 0 || uses !== 0) this.#windowAt(now.window_start_ms).sum({ held, uses });
    }
    for (const { window_start_ms, cleared_effect, uses } of this.insertedClearings()) {
      this.#windowAt(window_start_ms).sum({ cleared: cleared_effect, uses });
    }
    const { id, authorization_hold_days } = this.card;
    this.#window.check(id);
    for (const window of this.#past.values()) window.check(id);
    const has_end = authorization_hold_days === null || this.#window.held === 0 || this.#next_hold_end_ms !== null;
    assert(has_end, `card ${id}: its holds would never end`);
  }
}

/** The recorded rows of a card that a pass loaded. */
type History = Pick<LedgerState, 'authorizations' | 'clearings' | 'windows'>;

/** Whether the sums of a window are 0, as if it had no row. Then they need not be stored. */
function isUnused({ held, cleared, uses }: WindowCounters): boolean {
  return held === 0 && cleared === 0 && uses === 0;
}

function byId(a: { readonly id: number }, b: { readonly id: number }): number {
  return a.id - b.id;
}

/** The cards of a pass, by number and by id. Cards without a message are never copied. */
export class WorkingCards {
  readonly #now: PassInstant;
  readonly #by_index = new ByNumberIndex<LedgerCard>();
  readonly #by_id = new Map<number, LedgerCard>();
  readonly #authorizations: ReadonlyMap<number, readonly Authorization[]>;
  readonly #clearings: ReadonlyMap<number, readonly Clearing[]>;
  readonly #windows: ReadonlyMap<number, LedgerState['windows']>;
  readonly #working = new Map<number, WorkingCard>();

  constructor(state: LedgerState) {
    this.#now = new PassInstant(state.now_ms);
    for (const card of state.cards) {
      this.#by_index.add(card.number_index, card);
      this.#by_id.set(card.id, card);
    }
    this.#authorizations = Map.groupBy(state.authorizations, ({ card_id }) => card_id);
    this.#clearings = Map.groupBy(state.clearings, ({ card_id }) => card_id);
    this.#windows = Map.groupBy(state.windows, ({ card_id }) => card_id);
  }

  ofNumber(number_index: Uint8Array): WorkingCard | null {
    return this.#of(this.#by_index.get(number_index));
  }

  ofId(card_id: number): WorkingCard | null {
    return this.#of(this.#by_id.get(card_id));
  }

  /** The cards that were requested in this pass. */
  touchedCards(): Iterable<WorkingCard> {
    return this.#working.values();
  }

  #of(card: LedgerCard | undefined): WorkingCard | null {
    if (card === undefined) return null;
    let working = this.#working.get(card.id);
    if (working === undefined) {
      const authorizations = this.#authorizations.get(card.id) ?? [];
      const clearings = this.#clearings.get(card.id) ?? [];
      const windows = this.#windows.get(card.id) ?? [];
      working = new WorkingCard(card, { authorizations, clearings, windows }, this.#now);
      this.#working.set(card.id, working);
    }
    return working;
  }
}
