import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2Stream } from 'node:http2';
import type { Timers } from '@tallystick/kernel';
import { HttpProblem } from '../answer/error-answer.ts';
import type { BodyAccount } from './bodies.ts';
import type { BodyPace } from './body-pace.ts';

/** The largest body that a request may have (decision: HTTP conventions). */
export const body_bytes_max = 1024 * 1024;

/** How much of a body that is not needed is discarded before its connection is closed. */
export const dropped_bytes_max = 16 * 1024 * 1024;

/** How long the next bytes of a body that is not needed may wait, milliseconds. */
const drop_wait_ms_max = 1_000;

/** The least size of a buffer for a body of several chunks. */
const buffer_bytes_min = 4 * 1024;

export const no_bytes = Buffer.alloc(0);

type BodyTimers = Pick<Timers, 'after'>;

/**
 * Reads the whole body. Refuses a body over `body_bytes_max` with `body_too_large`, by its
 * Content-Length or as soon as it is longer. Throws `Overloaded` when `account` has no room.
 * What is then still to come is not read here (`dropBody`).
 */
export async function readBody(
  req: IncomingMessage,
  res: Pick<ServerResponse, 'writeContinue'>,
  account: BodyAccount,
  timers: BodyTimers,
): Promise<Buffer> {
  if (!hasBody(req)) return no_bytes;
  if (Number(req.headers['content-length']) > body_bytes_max) throw tooLarge();
  sendContinue(req, res);
  let bytes: Buffer = no_bytes;
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const receive = (chunk: Buffer) => {
      try {
        if (length + chunk.length > body_bytes_max) throw tooLarge();
        if (length === 0) {
          account.take(chunk.length);
          bytes = chunk;
        } else {
          bytes = append(bytes, length, chunk, account);
        }
        length += chunk.length;
        pauseFor(timers, req, account.arrived(chunk.length));
      } catch (error) {
        req.off('data', receive);
        bytes = no_bytes;
        reject(error);
      }
    };
    req.on('data', receive);
    // A host may have paused it.
    req.resume();
    req.on('end', resolve);
    // A caller that disconnects during the body is not a fault of the service.
    const ended = () => reject(new HttpProblem('malformed_json', 'the request ended before its body did'));
    req.on('error', ended);
    req.on('close', () => {
      // This event also follows every whole body. An error created then would cost each request a
      // stack trace.
      if (!req.readableEnded) ended();
    });
  });
  return bytes.subarray(0, length);
}

/**
 * Sends the status 100 to a client that sends its body only after it. A host's server without a
 * listener of `checkContinue` has sent it already, and Node notes that on the response.
 */
export function sendContinue(
  { httpVersionMinor, headers }: IncomingMessage,
  res: Pick<ServerResponse, 'writeContinue'> & { readonly _sent100?: boolean },
): void {
  const is_expected = httpVersionMinor === 1 && headers.expect?.toLowerCase() === '100-continue';
  if (is_expected && res._sent100 !== true) res.writeContinue();
}

/** Whether nothing has begun to read the body. Node then discards what has arrived of it. */
function isUntouched({ readableFlowing, readableDidRead }: IncomingMessage): boolean {
  return readableFlowing === null && !readableDidRead;
}

/** Whether the headers announce a body. In HTTP/2, which a host may speak, the end of the stream does. */
export function hasBody(req: IncomingMessage & { readonly stream?: Pick<Http2Stream, 'endAfterHeaders'> }): boolean {
  const declared = req.headers['content-length'];
  if (declared !== undefined) return declared !== '0';
  return req.headers['transfer-encoding'] !== undefined || req.stream?.endAfterHeaders === false;
}

/**
 * Appends to a buffer that doubles. A list of chunks would take a hundred bytes for each byte of a
 * sender that sends them one by one.
 */
function append(bytes: Buffer, length: number, chunk: Buffer, account: BodyAccount): Buffer {
  const needed = length + chunk.length;
  if (needed <= bytes.length) {
    chunk.copy(bytes, length);
    return bytes;
  }
  const size = Math.min(Math.max(2 * bytes.length, needed, buffer_bytes_min), body_bytes_max);
  account.take(size - bytes.length);
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger, 0, 0, length);
  chunk.copy(larger, length);
  return larger;
}

/** Lets the sender wait before its next bytes are read. */
function pauseFor({ after }: BodyTimers, req: IncomingMessage, ms: number): void {
  if (ms < 1) return;
  req.pause();
  after(ms, () => req.resume(), { keeps_alive: false });
}

/**
 * Discards the rest of a body as it arrives, so that its sender can read the answer. All bodies
 * that are dropped share one pace. Closes the connection when more than `dropped_bytes_max` are
 * discarded, or when so much arrives from all that the next bytes would wait for more than
 * `drop_wait_ms_max`.
 */
export function dropBody(req: IncomingMessage, pace: BodyPace, timers: BodyTimers): void {
  if (req.complete && (req.readableLength === 0 || isUntouched(req))) return;
  if (req.listenerCount('data') > 0) return;
  const toWait = pace.open('dropped', drop_wait_ms_max);
  let dropped = 0;
  req.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    const wait_ms = toWait(chunk.length);
    if (dropped > dropped_bytes_max || wait_ms === null) req.socket.destroy();
    else pauseFor(timers, req, wait_ms);
  });
  req.resume();
}

/**
 * Whether so much of a body is announced that the connection is closed instead of discarding it.
 */
export function isTooLongToDrop({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return Number(headers['content-length']) > dropped_bytes_max;
}

function tooLarge(): HttpProblem {
  return new HttpProblem('body_too_large', `the body is larger than ${body_bytes_max} bytes`);
}
