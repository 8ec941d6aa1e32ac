import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExpectedSignature } from '@tallystick/access';
import type { Timers } from '@tallystick/kernel';
import { createInterruption } from '@tallystick/operations';
import { HttpProblem } from '../answer/error-answer.ts';
import { hasBody, sendContinue } from './body.ts';
import { exemptFromDeadline } from './body-deadlines.ts';

/** How long an upload may wait for its sender when it has not waited before, milliseconds. */
export const upload_wait_ms_max = 60_000;

/** An upload that is slower in the long run ends: a sender of single bytes would keep its place for days. */
const bytes_per_s_min = 1_024;

export interface UploadRules {
  /** Null: the request needs no signature. */
  readonly signature: ExpectedSignature | null;
  /** Takes the bytes of a piece, and returns how long the next one waits, milliseconds. */
  readonly toWait: (bytes: number) => number;
  /** A longer body is refused; no limit when absent. */
  readonly bytes_max?: number;
  /** `upload_wait_ms_max` when absent. */
  readonly wait_ms_max?: number;
  readonly timers: Timers;
}

/**
 * The bytes of a body of any length, no faster than they are taken. The whole body may take longer
 * than that of other requests: its sender may keep it waiting for `wait_ms_max`, and regains time
 * with every byte, at `bytes_per_s_min`. Throws `malformed_request` when that time is over, or when
 * the sender disconnects. After the last byte it throws
 * `unauthenticated` when the signature does not fit, and before that `body_too_large` when the body
 * is longer than `bytes_max`. So whoever takes the bytes must not use them before the end.
 */
export async function* receiveUpload(
  req: IncomingMessage,
  res: ServerResponse,
  { signature, toWait, bytes_max = Number.POSITIVE_INFINITY, wait_ms_max = upload_wait_ms_max, timers }: UploadRules,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { monotonicNow } = timers;
  const code = signature === null ? null : createHmac('sha256', signature.secret).update(signature.head);
  if (Number(req.headers['content-length'] ?? 0) > bytes_max) throw tooLarge(bytes_max);
  if (hasBody(req)) {
    const endExemption = exemptFromDeadline(req);
    sendContinue(req, res);
    const chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    // After the answer Node reads no further bytes, and the next ones never come.
    const answered = createInterruption();
    const interrupt = () => answered.interrupt(new Error('answered'));
    res.once('close', interrupt);
    let is_ended = false;
    let bytes = 0;
    let wait_ms_left = wait_ms_max;
    try {
      for (;;) {
        const since_ms = monotonicNow();
        const { done, value } = await inTime(timers, req, answered.during(chunks.next()), wait_ms_left);
        if (done) break;
        const regained_ms = (value.length / bytes_per_s_min) * 1_000;
        wait_ms_left = Math.min(wait_ms_max, wait_ms_left - (monotonicNow() - since_ms) + regained_ms);
        if (wait_ms_left <= 0) throw tooSlow(req);
        bytes += value.length;
        if (bytes > bytes_max) throw tooLarge(bytes_max);
        code?.update(value);
        yield value;
        const wait_ms = toWait(value.length);
        if (wait_ms >= 1) await timers.pause(wait_ms, { keeps_alive: false });
      }
      is_ended = true;
    } finally {
      res.off('close', interrupt);
      endExemption();
      // Of an upload that is refused early, the rest is discarded like every body that is not read.
      if (!is_ended && !req.destroyed && !res.closed) await chunks.return?.();
    }
  }
  if (signature !== null && code !== null) signature.verify(code.digest());
}

function tooLarge(bytes_max: number): HttpProblem {
  return new HttpProblem('body_too_large', `the file must have at most ${bytes_max} bytes`);
}

function tooSlow(req: IncomingMessage): HttpProblem {
  req.destroy();
  return new HttpProblem(
    'malformed_request',
    'the request ended, or was sent too slowly, before its body was complete',
  );
}

async function inTime<Result>(
  { after }: Timers,
  req: IncomingMessage,
  next: Promise<Result>,
  wait_ms_max: number,
): Promise<Result> {
  const cancel = after(wait_ms_max, () => req.destroy());
  try {
    return await next;
  } catch {
    throw tooSlow(req);
  } finally {
    cancel();
  }
}
