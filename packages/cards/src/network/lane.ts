/**
 * A lane of the network: the messages that wait for the passes over their cards, one pass after
 * another.
 *
 *   resting ──message──> passing: pass after pass takes the messages that wait, up to `batch_max`
 *   passing ──no message waits──> resting
 *
 * A lane predicts how long a new message would wait, so that messages are refused early when there
 * are too many, and reports the messages that have waited too long (ADR 0020) or have missed their
 * deadline (ADR 0022). Time that a message spends in a pass is not waiting, but counts for its
 * deadline.
 */
import { createPhase, type Deadline, type Phase } from '@tallystick/kernel';
import type { NetworkAnswer } from '../deciding/fold-messages.ts';
import type { NetworkMessage } from '../records/ledger.ts';

interface Waiting {
  readonly message: NetworkMessage;
  answer(answer: NetworkAnswer): void;
  fail(error: unknown): void;
}

export interface Place {
  readonly waiting: Waiting;
  readonly arrived_ms: number;
  /** When it began to wait, plus the time that it has spent in passes. */
  readonly since_ms: number;
  /**
   * The message gets a pass without others: a pass with it has failed, or its deadline is near and
   * would be that of the others.
   */
  readonly alone: boolean;
}

export interface Batch {
  readonly messages: readonly Waiting[];
  readonly places: readonly Place[];
  readonly begun_ms: number;
  /** The deadline of the message that arrived first. */
  readonly deadline: Deadline;
}

/** The bounds of a lane. Times are monotonic. */
interface LaneBounds {
  readonly batch_max: number;
  readonly monotonicNow: () => number;
  readonly wait_ms_max: number;
  /** The time from the arrival of a message to its deadline. */
  readonly decision_ms_max: number;
}

/** The number of rounds whose durations are remembered. */
const rounds_kept = 4;

/** The waiting messages of one lane, in the order of their arrival. */
export class Lane {
  readonly phase: Phase<'resting' | 'passing'>;
  /** Resolves when the lane rests. */
  passes: Promise<void> = Promise.resolve();
  /** When the waiting messages are examined next for those that have waited too long; else null. */
  watched_until_ms: number | null = null;
  /** Messages gather for the next pass since then; null: they do not. */
  gathering: { readonly since_ms: number; end(): void } | null = null;
  readonly #bounds: LaneBounds;
  #queue: Place[] = [];
  /** The most messages of the next pass. Fewer than the bound after a pass that left messages. */
  #take_max: number;
  /** When the present round began; null between two rounds. */
  #round_begun_ms: number | null = null;
  #rounds_ms: readonly number[] = [];

  constructor(bounds: LaneBounds) {
    this.#bounds = bounds;
    this.#take_max = bounds.batch_max;
    this.phase = createPhase('a lane of the network', 'resting', { resting: ['passing'], passing: ['resting'] });
  }

  get length(): number {
    return this.#queue.length;
  }

  /**
   * How long a message that arrives now would wait, milliseconds: the rest of the present round,
   * and one round for every full batch that waits. A round lasts from one take to the next. The
   * shortest of the last rounds counts, so that one slow pass does not refuse a burst. A round that
   * already takes longer than that is expected to take as long again.
   */
  expectedWait(): number {
    if (this.#round_begun_ms === null) return 0;
    const round_ms = this.#rounds_ms.length === 0 ? 0 : Math.min(...this.#rounds_ms);
    const elapsed_ms = this.#bounds.monotonicNow() - this.#round_begun_ms;
    const left_ms = elapsed_ms < round_ms ? round_ms - elapsed_ms : elapsed_ms;
    return left_ms + Math.floor(this.#queue.length / this.#bounds.batch_max) * round_ms;
  }

  /**
   * Adds a message behind the others. Returns when it will be overdue. A message of which half of
   * the time is over, such as one that was received slowly, gets a pass of its own.
   */
  add(waiting: Waiting, arrived_ms?: number): number {
    const since_ms = this.#bounds.monotonicNow();
    const age_ms = arrived_ms === undefined ? 0 : since_ms - arrived_ms;
    const alone = age_ms > this.#bounds.decision_ms_max / 2;
    const place = { waiting, arrived_ms: since_ms - age_ms, since_ms, alone };
    this.#queue.push(place);
    return this.#overdueAt(place);
  }

  /**
   * Begins a round: removes and returns the messages of its pass, the first `batch_max`, fewer after
   * a pass that left messages, or one that is tried alone. Empty when no message waits.
   */
  take(): Batch {
    const { monotonicNow, decision_ms_max } = this.#bounds;
    const begun_ms = monotonicNow();
    this.#endRound(begun_ms);
    const alone_at = this.#queue.findIndex(({ alone }, at) => alone || at === this.#take_max);
    const count = alone_at < 0 ? this.#queue.length : Math.max(1, alone_at);
    const places = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    if (places.length > 0) this.#round_begun_ms = begun_ms;
    const deadline_ms =
      places.reduce((first_ms, place) => Math.min(first_ms, place.arrived_ms), begun_ms) + decision_ms_max;
    const deadline = { leftMs: () => deadline_ms - monotonicNow() };
    return { messages: places.map(({ waiting }) => waiting), places, begun_ms, deadline };
  }

  /**
   * Notes how many messages of a pass it answered. After one that left some, the next passes take
   * no more than that, and twice as many after each that left none: what a pass leaves, it has
   * loaded in vain.
   */
  noteAnswered({ messages }: Batch, answered: number): void {
    if (answered < messages.length) this.#take_max = answered;
    else if (answered === this.#take_max) this.#take_max = Math.min(2 * answered, this.#bounds.batch_max);
  }

  /**
   * The messages of a pass that has not answered them, to be tried again, together or each alone.
   * The time in the pass was not waiting.
   */
  placesAfter({ places, begun_ms }: Batch, { alone }: { readonly alone: boolean }): readonly Place[] {
    const in_pass_ms = this.#bounds.monotonicNow() - begun_ms;
    return places.map((place) => ({ ...place, since_ms: place.since_ms + in_pass_ms, alone }));
  }

  putFirst(places: readonly Place[]): void {
    this.#queue = [...places, ...this.#queue];
  }

  putLast(places: readonly Place[]): void {
    this.#queue.push(...places);
  }

  /** Removes and returns the messages that wait and that `isTaken` names. */
  takeOut(isTaken: (message: NetworkMessage) => boolean): readonly Place[] {
    const taken = this.#queue.filter(({ waiting }) => isTaken(waiting.message));
    this.#queue = this.#queue.filter(({ waiting }) => !isTaken(waiting.message));
    return taken;
  }

  /** Ends the last round: the lane rests. */
  rest(): void {
    this.#endRound(this.#bounds.monotonicNow());
    this.phase.enter('resting');
  }

  /**
   * When the first message will have waited too long or missed its deadline; null when none waits.
   */
  overdueAt(): number | null {
    let first_ms: number | null = null;
    for (const place of this.#queue) {
      const at_ms = this.#overdueAt(place);
      first_ms = Math.min(first_ms ?? at_ms, at_ms);
    }
    return first_ms;
  }

  /** Removes and returns the messages that have waited too long or have missed their deadline. */
  takeOverdue(): readonly Waiting[] {
    const now_ms = this.#bounds.monotonicNow();
    const isOverdue = (place: Place) => this.#overdueAt(place) <= now_ms;
    if (!this.#queue.some(isOverdue)) return [];
    const overdue = this.#queue.filter(isOverdue);
    this.#queue = this.#queue.filter((place) => !isOverdue(place));
    return overdue.map(({ waiting }) => waiting);
  }

  #overdueAt({ arrived_ms, since_ms }: Place): number {
    return Math.min(since_ms + this.#bounds.wait_ms_max, arrived_ms + this.#bounds.decision_ms_max);
  }

  #endRound(now_ms: number): void {
    if (this.#round_begun_ms === null) return;
    this.#rounds_ms = [now_ms - this.#round_begun_ms, ...this.#rounds_ms].slice(0, rounds_kept);
    this.#round_begun_ms = null;
  }
}
