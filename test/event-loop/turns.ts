import { once } from 'node:events';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The longest turn that a request may cause, milliseconds, on a machine as fast as the reference. */
export const turn_ms_max = 20;

/** A longer turn is measured again, and compared with the speed of the machine. */
export const noted_ms = 15;

/** What the reference work takes on two cores of an AMD EPYC without other load, milliseconds. */
const reference_ms = 3;

/** What is measured in a process of its own. */
export type Part = 'operations' | 'open banking' | 'authorisation' | `bulk on ${'sqlite' | 'postgres'}`;

/** The longest turn of an input. */
export interface Found {
  readonly what: string;
  readonly turn_ms: number;
}

/** A request to a service in this thread. */
export interface Sending {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** The beginning of the answer, and its length. The status is 0 without an answer. */
export interface Sent {
  readonly status: number;
  readonly text: string;
  readonly length: number;
}

/** The answer to a request, and the longest turn of the event loop of this thread until then. */
export interface Measured extends Sent {
  readonly turn_ms: number;
}

/** The step in which some systems count the processor time of a thread, milliseconds. */
const tick_ms = 4;

/** Shorter turns are not of interest, milliseconds. */
const noted_ms_min = 1;

interface Turn {
  readonly began_ms: number;
  readonly ended_ms: number;
  /** Without the wait for the next event. */
  readonly lasted_ms: number;
  readonly processor_ms: number;
}

/**
 * Collects the turns of the event loop of this thread until the returned function is called. It looks
 * after the events of each turn, and does not keep the loop from waiting for the next ones.
 */
function watchTurns(): () => readonly Turn[] {
  const turns: Turn[] = [];
  let is_over = false;
  let began_ms = performance.now();
  let used = process.threadCpuUsage();
  let idle_ms = performance.nodeTiming.idleTime;
  const look = (): void => {
    const ended_ms = performance.now();
    const now = process.threadCpuUsage();
    const idle_now_ms = performance.nodeTiming.idleTime;
    const lasted_ms = ended_ms - began_ms - (idle_now_ms - idle_ms);
    const processor_ms = (now.user + now.system - used.user - used.system) / 1_000;
    if (lasted_ms >= noted_ms_min) turns.push({ began_ms, ended_ms, lasted_ms, processor_ms });
    began_ms = performance.now();
    used = now;
    idle_ms = idle_now_ms;
    if (!is_over) setImmediate(look).unref();
  };
  setImmediate(look).unref();
  return () => {
    look();
    is_over = true;
    return turns;
  };
}

/**
 * How long a turn took: not much longer than its processor time, because waits for a disk, and for a
 * processor that others use, are not its own. Nor are pauses of the garbage collector, which depend
 * on all that the process holds, and on processors for its own threads: of the processor time they
 * have the share that they have of the turn.
 */
function lengthOf(
  { began_ms, ended_ms, lasted_ms, processor_ms }: Turn,
  pauses: readonly Pick<PerformanceEntry, 'startTime' | 'duration'>[],
): number {
  const paused = pauses.filter(({ startTime }) => startTime >= began_ms && startTime < ended_ms);
  const paused_ms = paused.reduce((sum, { duration }) => sum + duration, 0);
  return Math.min(lasted_ms, processor_ms + tick_ms) * Math.max(0, 1 - paused_ms / lasted_ms);
}

const reference_text = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, name: `name ${id}` })));

/**
 * How much longer this machine takes at present than the reference, at least 1: the least of several
 * times, as what interrupts the work is not its speed.
 */
function slowness(): number {
  const times = Array.from({ length: 7 }, () => {
    const began_ms = performance.now();
    JSON.stringify(JSON.parse(reference_text));
    return performance.now() - began_ms;
  });
  return Math.max(1, Math.min(...times) / reference_ms);
}

/** Sends requests from another thread, and measures the turns of this one meanwhile. */
export class TurnMeter {
  readonly #worker = new Worker(new URL('./sender.ts', import.meta.url));

  async send(sending: Sending): Promise<Measured> {
    this.#worker.postMessage(sending);
    const pauses: PerformanceEntry[] = [];
    const pause_observer = new PerformanceObserver((list) => pauses.push(...list.getEntries()));
    pause_observer.observe({ entryTypes: ['gc'] });
    const end = watchTurns();
    const [sent] = (await once(this.#worker, 'message')) as [Sent];
    const turns = end();
    // The last pauses are reported in the next turn.
    await nextTurn();
    pauses.push(...pause_observer.takeRecords());
    pause_observer.disconnect();
    const longest_ms = Math.max(0, ...turns.map((turn) => lengthOf(turn, pauses)));
    return { ...sent, turn_ms: longest_ms > noted_ms ? longest_ms / slowness() : longest_ms };
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
