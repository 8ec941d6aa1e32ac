/**
 * A request whose body is lines, and whose answer is a line for each, in the order in which they
 * are ready (ADR 0079).
 *
 *   taking ──the body ends, no line for long, the service stops, the work ends──> ending
 *   ending ──every line taken is answered──> ended
 *   taking, ending ──the client is gone, or does not read──> ended
 *
 *   taking  lines are taken while there are places for them and their answers are read; otherwise
 *           their sender waits
 *   ending  no line is taken; those that were taken are answered
 *   ended   answers to what is still in progress are dropped
 */
import { giveWayWith, type Timers } from '@tallystick/kernel';
import type { RenderedAnswer } from '../answer/answer.ts';
import { headersOf } from '../answer/send.ts';
import { reading_ms_max } from '../answer/send-file.ts';
import { body_cut_off } from '../connection/pipelined-requests.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { sendContinue } from '../request/body.ts';
import { exemptFromDeadline } from '../request/body-deadlines.ts';
import { createLineSplitter } from '../request/lines.ts';
import type { RequestContext } from '../request/pipeline.ts';

/** The media type of a JSON value a line. */
export const lines_type = 'application/x-ndjson';

/** Above so many bytes of lines that wait for places no more are read. */
const waiting_bytes_max = 256 * 1024;

/** What a line takes at least: one of a byte costs as much memory as a short message. */
const line_bytes_min = 512;

/** So many lines that were taken are removed together from those that wait. */
const taken_kept_max = 1_000;

/** The most bytes that are divided into lines at once. */
const slice_bytes = 4 * 1024;

export interface LineWork {
  /** Called before lines are taken. False: those that have arrived are the last. */
  begin(): Promise<boolean>;
  /** Whether there is a place for a further line. Without one the first line is taken all the same. */
  hasPlace(): boolean;
  /**
   * Answers a line, at once or later; null: it is too long. Never rejects. `arrived_ms` is when its
   * end arrived; milliseconds of `monotonicNow`.
   */
  answer(content: Buffer | null, arrived_ms: number): RenderedAnswer | Promise<RenderedAnswer>;
  /** How long to wait after a line that took no place, milliseconds: its bytes are of no effort to its sender. */
  toWait(bytes: number): number;
}

export interface LineBounds {
  readonly line_bytes_max: number;
  /** How long no line may arrive before the answer ends, milliseconds. An empty line counts. */
  readonly idle_ms_max: number;
  /** How long the client may take to read what was sent, milliseconds. `reading_ms_max` when absent. */
  readonly reading_ms?: number;
}

/** Answers the lines of a request. Resolves when its answer has ended. */
export async function exchangeLines(
  ctx: RequestContext,
  work: LineWork,
  { line_bytes_max, idle_ms_max, reading_ms = reading_ms_max }: LineBounds,
  lifecycle: Pick<Lifecycle, 'stopping' | 'signal'>,
  timers: Timers,
): Promise<void> {
  const { req, res, state } = ctx;
  const { monotonicNow, after } = timers;
  const giveWay = giveWayWith(timers);
  const splitter = createLineSplitter(line_bytes_max);
  const counts: Record<number, number> = {};
  state.lines = counts;
  /** What has arrived and is not taken yet, from `taken` on. */
  let received: { readonly line: number; readonly content: Buffer | null; readonly arrived_ms: number }[] = [];
  let taken = 0;
  let waiting_bytes = 0;
  let in_progress = 0;
  let unsent = '';
  let last_line_ms = monotonicNow();
  /** No further line arrives. */
  let is_over = false;
  let is_gone = false;
  let wake = (): void => {};

  const take = (lines: ReturnType<typeof splitter.split>): void => {
    const arrived_ms = monotonicNow();
    for (const { line, content } of lines) {
      last_line_ms = arrived_ms;
      if (content?.length === 0) continue;
      received.push({ line, content, arrived_ms });
      waiting_bytes += bytesOf(content);
    }
    if (waiting_bytes > waiting_bytes_max) req.pause();
    wake();
  };
  const receive = (piece: Buffer): void => {
    for (let from = 0; from < piece.length; from += slice_bytes) {
      if (waiting_bytes > waiting_bytes_max) {
        req.unshift(piece.subarray(from));
        return;
      }
      take(splitter.split(piece.subarray(from, from + slice_bytes)));
    }
  };
  const end = (): void => {
    const last = splitter.end();
    is_over = true;
    take(last === null ? [] : [last]);
  };
  /** The body will never be whole, so that its last line is not either. The client may still read. */
  const cutOff = (): void => {
    if (req.complete) return;
    is_over = true;
    wake();
  };
  const leave = (): void => {
    is_gone = true;
    wake();
  };
  const awake = (): void => wake();
  let cancelIdle = (): void => {};
  const watchIdle = (ms: number): void => {
    cancelIdle = after(
      ms,
      () => {
        const idle_ms = monotonicNow() - last_line_ms;
        if (idle_ms < idle_ms_max) watchIdle(idle_ms_max - idle_ms);
        else cutOff();
      },
      { keeps_alive: false },
    );
  };

  const hasLines = (): boolean => taken < received.length;
  const mayTake = (): boolean =>
    lifecycle.stopping || (!res.writableNeedDrain && (in_progress === 0 || work.hasPlace()));
  /** Resolves when something happens. Closes the connection of a client that does not read. */
  const happens = async (): Promise<void> => {
    const cancel = res.writableNeedDrain ? after(reading_ms, () => res.destroy()) : undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    cancel?.();
  };
  const flush = (): void => {
    const text = unsent;
    unsent = '';
    if (text !== '' && !is_gone) res.write(text);
  };
  const answer = (line: number, { status, text, headers }: RenderedAnswer): void => {
    counts[status] = (counts[status] ?? 0) + 1;
    // Answers of one pass come in one turn, and are sent together.
    if (unsent === '') void Promise.resolve().then(flush);
    unsent += answerLine(line, status, text, headers);
  };
  const takeNext = (): number => {
    const { line, content, arrived_ms } = received[taken]!;
    taken += 1;
    if (!hasLines() || taken >= taken_kept_max) {
      received = received.slice(taken);
      taken = 0;
    }
    waiting_bytes -= bytesOf(content);
    if (waiting_bytes <= waiting_bytes_max / 2 && req.isPaused()) req.resume();
    const answered = work.answer(content, arrived_ms);
    if (!(answered instanceof Promise)) {
      answer(line, answered);
      return work.toWait(content?.length ?? 0);
    }
    in_progress += 1;
    void answered.then((later) => {
      in_progress -= 1;
      answer(line, later);
      wake();
    });
    return 0;
  };

  ctx.respond = false;
  const endExemption = exemptFromDeadline(req);
  sendContinue(req, res);
  res.writeHead(200, { ...headersOf(ctx, lifecycle), 'Content-Type': lines_type });
  res.flushHeaders();
  res.once('close', leave).on('drain', awake);
  lifecycle.signal.addEventListener('abort', awake);
  req.on('end', end).on('data', receive).on(body_cut_off, cutOff);
  // A host may have paused it.
  req.resume();
  watchIdle(idle_ms_max);
  try {
    for (;;) {
      while (!is_gone && !(hasLines() ? mayTake() : is_over || lifecycle.stopping)) await happens();
      if (is_gone || !hasLines()) break;
      const goes_on = (await work.begin()) && !lifecycle.stopping;
      let wait_ms = 0;
      let later: Promise<void> | undefined;
      while (later === undefined && !is_gone && hasLines() && (!goes_on || mayTake())) {
        wait_ms = Math.max(wait_ms, takeNext());
        later = giveWay();
        if (!goes_on) later = undefined;
      }
      if (!goes_on) break;
      if (later !== undefined) await later;
      if (wait_ms >= 1) await timers.pause(wait_ms, { keeps_alive: false });
    }
    while (in_progress > 0 && !is_gone) await happens();
  } finally {
    cancelIdle();
    endExemption();
    res.off('close', leave).off('drain', awake);
    lifecycle.signal.removeEventListener('abort', awake);
    req.off('end', end).off('data', receive).off(body_cut_off, cutOff);
  }
  flush();
  res.end();
}

function bytesOf(content: Buffer | null): number {
  return Math.max(content?.length ?? 0, line_bytes_min);
}

/** The answer to a line: the body that it would have alone, with its number, its status and Retry-After. */
function answerLine(line: number, status: number, text: string | null, headers: RenderedAnswer['headers']): string {
  const retry = headers['Retry-After'];
  const begun = `{"line":${line},"status":${status}${retry === undefined ? '' : `,"retry_after_s":${retry}`}`;
  return text === null ? `${begun}}\n` : `${begun},${text.slice(1)}\n`;
}
