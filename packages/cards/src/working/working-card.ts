import { assert, type Call, money } from '@tallystick/kernel';
import { windowAt } from '@tallystick/velocity';
import type { Counters } from '../issuing/card.ts';
import { type CardVersion, endCardVersion } from '../issuing/card-version.ts';
import { codeFailuresOn } from '../issuing/code-failures.ts';
import { Neighbourhood, withChoices } from '../matching/neighbours.ts';
import { type Authorization, isSameAuthorization } from '../records/authorization.ts';
import {
  type Clearing,
  type ClearingChange,
  clearingChangeOf,
  isSameClearing,
  type Records,
} from '../records/clearing.ts';
import type { PassInstant } from '../records/hold-lifetime.ts';
import type { AuthorizationChange, LedgerCard, LedgerState, PastWindow } from '../records/ledger.ts';
import { type Change, WorkingWindow } from './working-window.ts';

/** A record that a pass may change before it writes the record once. */
type Mutable<Item> = { -readonly [Name in keyof Item]: Item[Name] };

/** An authorization within a pass: as loaded (null: created in this pass) and as it is now. */
export interface Entry {
  readonly loaded: Authorization | null;
  now: Mutable<Authorization>;
}

/** Up to this many entries of a card are searched. More are found by a map from their trace ids. */
const searched_entries_max = 8;

/**
 * A card within a pass: its loaded history, and its counters in the window of the pass and in the
 * past windows in which that history counts. Every change of a hold goes through this class, so
 * that rows and counters change together.
 */
export class WorkingCard {
  /** As it is within the pass: a freeze changes it. */
  card: LedgerCard;
  /**
   * The window of the pass. A window never goes back, even when the clock of this machine is behind
   * another.
   */
  readonly window_start_ms: number;
  /** Whether records around those of the pass are missing, because there are too many. */
  readonly is_cut: boolean;
  readonly #now: PassInstant;
  readonly #work: PassWork;
  readonly #entries = new Map<number, Entry>();
  /** Null while the entries are few: then they are searched. */
  #by_trace: Map<string, Entry[]> | null = null;
  readonly #changed = new Set<Entry>();
  readonly #clearings = new Map<number, KnownClearing>();
  /** Null until the first look for neighbours. */
  #neighbourhood: Neighbourhood | null = null;
  /** Entries that the neighbourhood does not have as they are now. */
  readonly #unplaced = new Set<Entry>();
  readonly #window: WorkingWindow;
  /** The other windows, by their start. */
  readonly #past = new Map<number, WorkingWindow>();
  #next_hold_end_ms: number | null;
  #code_failures: Pick<Counters, 'code_failures' | 'code_failures_on'>;

  constructor(
    card: LedgerCard,
    { authorizations, clearings, windows, is_cut }: History,
    { now, work }: { readonly now: PassInstant; readonly work: PassWork },
  ) {
    this.card = card;
    this.is_cut = is_cut;
    this.#now = now;
    this.#work = work;
    const { now_ms } = now;
    const { counters } = card;
    const { start_ms } = windowAt(card.recurring, now_ms);
    const same_window = start_ms <= counters.window_start_ms;
    this.window_start_ms = same_window ? counters.window_start_ms : start_ms;
    this.#window = new WorkingWindow(this.window_start_ms, same_window ? counters : null);
    for (const past of windows) this.#past.set(past.window_start_ms, new WorkingWindow(past.window_start_ms, past));
    if (!same_window) this.#past.set(counters.window_start_ms, WorkingWindow.ended(counters));
    this.#next_hold_end_ms = counters.next_hold_end_ms;
    this.#code_failures = counters;
    for (const clearing of clearings) this.#clearings.set(clearing.id, { loaded: clearing, now: clearing });
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
  counted(window_start_ms: number): Pick<WorkingWindow, 'held' | 'cleared' | 'uses'> {
    return this.#windowAt(window_start_ms);
  }

  /** The states of the card that freezes of the pass ended, oldest first. */
  readonly ended_versions: CardVersion[] = [];

  /** Freezes or unfreezes the card from now on. */
  setFrozen(frozen: boolean, by: Pick<Call, 'actor' | 'request_id'>): void {
    const { now_ms, card } = this;
    this.ended_versions.push(endCardVersion(card, { ...by, now_ms }));
    const frozen_at_ms = frozen ? now_ms : null;
    this.card = { ...card, frozen_at_ms, controls_version: card.controls_version + 1 };
  }

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

  /** The end of a hold made now, epoch milliseconds; null when the company's holds never end. */
  holdEnd(): number | null {
    return this.#now.holdEnd(this.card);
  }

  /** Records a message with its hold and its use. */
  insert(authorization: Authorization): Entry {
    const entry: Entry = { loaded: null, now: { ...authorization, held: money(0), uses: 0 } };
    this.#keep(entry);
    this.#changed.add(entry);
    this.move(entry, { held: authorization.held, uses: authorization.uses });
    return entry;
  }

  get hasClearings(): boolean {
    return this.#clearings.size > 0;
  }

  clearing(id: number): Clearing | undefined {
    return this.#clearings.get(id)?.now;
  }

  /** When the newest clearing of an authorization was recorded, epoch milliseconds; 0: there is none. */
  lastClearedAt(authorization_id: number): number {
    let last_ms = 0;
    for (const { now } of this.#clearings.values()) {
      if (now.authorization_id === authorization_id) last_ms = Math.max(last_ms, now.recorded_at_ms);
    }
    return last_ms;
  }

  /** Records a clearing, or changes it, with its effect on the window that it counts in. */
  putClearing(clearing: Clearing): void {
    const known = this.#clearings.get(clearing.id);
    if (known !== undefined) {
      const { window_start_ms, cleared_effect, uses } = known.now;
      this.#windowAt(window_start_ms).change({ cleared: -cleared_effect, uses: -uses });
    }
    this.#clearings.set(clearing.id, { loaded: known?.loaded ?? null, now: clearing });
    this.#neighbourhood?.keepClearing(clearing);
    this.#windowAt(clearing.window_start_ms).change({ cleared: clearing.cleared_effect, uses: clearing.uses });
  }

  /** Removes a clearing that was put in this pass. */
  removeClearing(id: number): void {
    const known = this.#clearings.get(id);
    assert(known?.loaded === null, `clearing ${id} is recorded`);
    const { window_start_ms, cleared_effect, uses } = known.now;
    this.#windowAt(window_start_ms).change({ cleared: -cleared_effect, uses: -uses });
    this.#clearings.delete(id);
    this.#neighbourhood?.removeClearing(id);
  }

  /** Moves hold, use and cleared amount of an authorization to those of another state of it. */
  settle(next: Authorization): void {
    const entry = this.#entries.get(next.id);
    assert(entry !== undefined, `authorization ${next.id} was settled but is not of this pass`);
    if (isSameAuthorization(entry.now, next)) return;
    this.move(entry, { held: next.held - entry.now.held, uses: next.uses - entry.now.uses });
    const now = this.copyToChange(entry);
    now.status = next.status;
    now.hold_end_ms = next.hold_end_ms;
    now.cleared = next.cleared;
    now.uncleared_status = next.uncleared_status;
    now.uncleared_uses = next.uncleared_uses;
  }

  /** The known neighbours of records of the card, and these themselves, as they are now. */
  around(seeds: Partial<Records>): Records {
    const { roots, clearings } = this.#examine(seeds);
    return { roots: roots.map(({ id }) => this.#entries.get(id)!.now), clearings };
  }

  /** The known neighbours of a record that is not of the pass yet. */
  aroundNew({ root, clearing }: { readonly root?: Authorization; readonly clearing?: Clearing }): Records {
    const neighbourhood = this.#placed();
    if (root !== undefined) neighbourhood.keepRoot(root);
    if (clearing !== undefined) neighbourhood.keepClearing(clearing);
    const found = this.#examine({
      roots: root === undefined ? [] : [root],
      clearings: clearing === undefined ? [] : [clearing],
    });
    if (root !== undefined) neighbourhood.removeRoot(root.id);
    if (clearing !== undefined) neighbourhood.removeClearing(clearing.id);
    return {
      roots: found.roots.filter((known) => known !== root).map(({ id }) => this.#entries.get(id)!.now),
      clearings: found.clearings.filter((known) => known !== clearing),
    };
  }

  /**
   * The known neighbours of clearings and of the authorizations that a person chooses for them,
   * whatever the choices about the clearings are, and these themselves.
   */
  aroundChoices(chosen: Records): Records {
    const neighbourhood = this.#placed();
    for (const clearing of chosen.clearings) neighbourhood.keepClearing(withChoices(clearing));
    const { roots, clearings } = this.#examine(chosen);
    for (const clearing of chosen.clearings) neighbourhood.keepClearing(clearing);
    return {
      roots: roots.map(({ id }) => this.#entries.get(id)!.now),
      clearings: clearings.map(({ id }) => this.#clearings.get(id)!.now),
    };
  }

  #examine(seeds: Partial<Records>): Records {
    const found = this.#placed().around(seeds);
    this.#work.examined += found.roots.length + found.clearings.length;
    return found;
  }

  #placed(): Neighbourhood {
    if (this.#neighbourhood === null) {
      this.#neighbourhood = new Neighbourhood();
      for (const { now } of this.#entries.values()) this.#neighbourhood.keepRoot(now);
      for (const { now } of this.#clearings.values()) this.#neighbourhood.keepClearing(now);
    } else {
      for (const { now } of this.#unplaced) this.#neighbourhood.keepRoot(now);
    }
    this.#unplaced.clear();
    return this.#neighbourhood;
  }

  usesOf(start_ms: number): number {
    return this.#windowAt(start_ms).uses;
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
  copyToChange(entry: Entry): Mutable<Authorization> {
    if (!this.#changed.has(entry)) {
      this.#changed.add(entry);
      entry.now = { ...entry.now };
      this.#unplaced.add(entry);
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

  /** The past windows to write: those that the pass changed, and the one that has ended. */
  changedWindows(): PastWindow[] {
    return [...this.#past.values()]
      .filter((window) => window.isChanged)
      .map((window) => ({ card_id: this.card.id, ...window.counters() }));
  }

  insertedClearings(): Clearing[] {
    return [...this.#clearings.values()].filter(({ loaded }) => loaded === null).map(({ now }) => now);
  }

  /** The clearings that the pass loaded and that have another state now. */
  changedClearings(): ClearingChange[] {
    return [...this.#clearings.values()].flatMap(({ loaded, now }) => {
      return loaded === null || loaded === now || isSameClearing(loaded, now) ? [] : [clearingChangeOf(now)];
    });
  }

  insertedAuthorizations(): Authorization[] {
    return [...this.#changed].filter(({ loaded }) => loaded === null).map(({ now }) => now);
  }

  /** The authorizations that the pass loaded and that have another state now. */
  changes(): AuthorizationChange[] {
    return [...this.#changed].flatMap(({ loaded, now }) => {
      return loaded === null || isSameAuthorization(loaded, now) ? [] : [changeOf(now)];
    });
  }

  #windowAt(start_ms: number): WorkingWindow {
    const window = start_ms === this.window_start_ms ? this.#window : this.#past.get(start_ms);
    assert(window !== undefined, `card ${this.card.id}: the counters of window ${start_ms} were not loaded`);
    return window;
  }

  #keep(entry: Entry): void {
    const { id, trace_id } = entry.now;
    this.#entries.set(id, entry);
    this.#unplaced.add(entry);
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
    for (const { loaded, now } of this.#clearings.values()) {
      if (loaded === now) continue;
      if (loaded !== null) {
        const { window_start_ms, cleared_effect, uses } = loaded;
        this.#windowAt(window_start_ms).sum({ cleared: -cleared_effect, uses: -uses });
      }
      this.#windowAt(now.window_start_ms).sum({ cleared: now.cleared_effect, uses: now.uses });
    }
    const { id, authorization_hold_days } = this.card;
    this.#window.check(id);
    for (const window of this.#past.values()) window.check(id);
    const has_end = authorization_hold_days === null || this.#window.held === 0 || this.#next_hold_end_ms !== null;
    assert(has_end, `card ${id}: its holds would never end`);
  }
}

/** The recorded rows of a card that a pass loaded, and whether neighbours are missing. */
interface History extends Pick<LedgerState, 'authorizations' | 'clearings' | 'windows'> {
  readonly is_cut: boolean;
}

/** The work of a pass so far. */
export interface PassWork {
  /** The records that were found around those of its messages, each time that they were. */
  examined: number;
}

/** A clearing within a pass: as loaded (null: created in this pass) and as it is now. */
interface KnownClearing {
  readonly loaded: Clearing | null;
  readonly now: Clearing;
}

function changeOf(authorization: Authorization): AuthorizationChange {
  const { id, card_id, status, authorized, held, cleared, uses, hold_end_ms } = authorization;
  const { uncleared_status, uncleared_uses } = authorization;
  return { id, card_id, status, authorized, held, cleared, uses, hold_end_ms, uncleared_status, uncleared_uses };
}

function byId(a: { readonly id: number }, b: { readonly id: number }): number {
  return a.id - b.id;
}
