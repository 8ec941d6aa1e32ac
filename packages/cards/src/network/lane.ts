/**
 * A lane of the network: the messages that wait for the passes over their cards, one pass after
 * another.
 *
 *   resting ──message──> passing: pass after pass takes the messages that wait, up to `batch_max`
 *   passing ──no message waits──> resting
 *
 * A lane predicts how long a new message would wait, so that messages are refused early when there
 * are too many, and reports the messages that have waited too long (ADR 0020). Time that a message
 * spends in a pass is not waiting.
 */
import { createPhase, type Phase } from '@tallystick/kernel';
import type { NetworkAnswer } from './fold-messages.ts';
import type { NetworkMessage } from './ledger.ts';

/** A message that waits, and its caller. */
export interface Waiting {
  readonly message: NetworkMessage;
  answer(answer: NetworkAnswer): void;
  fail(error: unknown): void;
}

interface Place {
  readonly waiting: Waiting;
  /** When it began to wait, plus the time that it has spent in passes. */
  readonly since_ms: number;
  /** A pass with this message has failed: it is tried again without others. */
  readonly alone: boolean;
}

/** The messages that one pass takes. */
export interface Batch {
  readonly messages: readonly Waiting[];
  readonly places: readonly Place[];
  readonly begun_ms: number;
}

/** The number of rounds whose durations are remembered. */
const rounds_kept = 4;

/** The waiting messages of one lane, in the order of their arrival. Times are monotonic. */
export class Lane {
  readonly phase: Phase<'resting' | 'passing'>;
  /** Resolves when the lane rests. */
  passes: Promise<void> = Promise.resolve();
  /** When the waiting messages are examined next for those that have waited too long; else null. */
  watched_until_ms: number | null = null;
  readonly #batch_max: number;
  readonly #monotonicNow: () => number;
  #queue: Place[] = [];
  /** When the present round began; null between two rounds. */
  #round_begun_ms: number | null = null;
  #rounds_ms: readonly number[] = [];

  constructor({ batch_max, monotonicNow }: { readonly batch_max: number; readonly monotonicNow: () => number }) {
    this.#batch_max = batch_max;
    this.#monotonicNow = monotonicNow;
    this.phase = createPhase('a lane of the network', 'resting', { resting: ['passing'], passing: ['resting'] });
  }

  /** The number of messages that wait. */
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
    const elapsed_ms = this.#monotonicNow() - this.#round_begun_ms;
    const left_ms = elapsed_ms < round_ms ? round_ms - elapsed_ms : elapsed_ms;
    return left_ms + Math.floor(this.#queue.length / this.#batch_max) * round_ms;
  }

  /** Adds a message behind the others. */
  add(waiting: Waiting): void {
    this.#queue.push({ waiting, since_ms: this.#monotonicNow(), alone: false });
  }

  /**
   * Begins a round: removes and returns the messages of its pass, the first `batch_max`, or one
   * that is tried alone. Empty when no message waits.
   */
  take(): Batch {
    const begun_ms = this.#monotonicNow();
    this.#endRound(begun_ms);
    const alone_at = this.#queue.findIndex(({ alone }, at) => alone || at === this.#batch_max);
    const count = alone_at < 0 ? this.#queue.length : Math.max(1, alone_at);
    const places = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    if (places.length > 0) this.#round_begun_ms = begun_ms;
    return { messages: places.map(({ waiting }) => waiting), places, begun_ms };
  }

  /** Puts the messages of a failed pass before the others. Each is tried again alone. */
  putBack({ places, begun_ms }: Batch): void {
    const in_pass_ms = this.#monotonicNow() - begun_ms;
    const again = places.map(({ waiting, since_ms }) => ({ waiting, since_ms: since_ms + in_pass_ms, alone: true }));
    this.#queue = [...again, ...this.#queue];
  }

  /** Ends the last round: the lane rests. */
  rest(): void {
    this.#endRound(this.#monotonicNow());
    this.phase.enter('resting');
  }

  /** When the first message will have waited for `wait_ms`; null when none waits. */
  overdueAt(wait_ms: number): number | null {
    let first_ms: number | null = null;
    for (const { since_ms } of this.#queue) first_ms = Math.min(first_ms ?? since_ms, since_ms);
    return first_ms === null ? null : first_ms + wait_ms;
  }

  /** Removes and returns the messages that have waited for `wait_ms` or longer. */
  takeOverdue(wait_ms: number): readonly Waiting[] {
    const since_ms_max = this.#monotonicNow() - wait_ms;
    if (!this.#queue.some(({ since_ms }) => since_ms <= since_ms_max)) return [];
    const overdue = this.#queue.filter(({ since_ms }) => since_ms <= since_ms_max);
    this.#queue = this.#queue.filter(({ since_ms }) => since_ms > since_ms_max);
    return overdue.map(({ waiting }) => waiting);
  }

  #endRound(now_ms: number): void {
    if (this.#round_begun_ms === null) return;
    this.#rounds_ms = [now_ms - this.#round_begun_ms, ...this.#rounds_ms].slice(0, rounds_kept);
    this.#round_begun_ms = null;
  }
}
