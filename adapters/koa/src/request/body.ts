import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStorable } from '@tallystick/kernel';
import { HttpProblem } from '../answer/error-answer.ts';
import type { BodyAccount } from './bodies.ts';
import type { BodyPace } from './body-pace.ts';

/** The largest body that a request may have (decision: HTTP conventions). */
export const body_bytes_max = 1024 * 1024;

/** How much of a body that is not needed is discarded before its connection is closed. */
const dropped_bytes_max = 16 * 1024 * 1024;

/** How long the next bytes of a body that is not needed may wait, milliseconds. */
const drop_wait_ms_max = 1_000;

/** The least size of a buffer for a body of several chunks. */
const buffer_bytes_min = 4 * 1024;

/** The maximum nesting of arrays and objects. */
export const nesting_max = 64;

export const no_bytes = Buffer.alloc(0);

/**
 * Reads the whole body. Refuses a body over `body_bytes_max` with `body_too_large`, by its
 * Content-Length or as soon as it is longer. Throws `Overloaded` when `account` has no room.
 * What is then still to come is not read here (`dropBody`).
 */
export async function readBody(
  req: IncomingMessage,
  res: Pick<ServerResponse, 'writeContinue'>,
  account: BodyAccount,
): Promise<Buffer> {
  if (!hasBody(req)) return no_bytes;
  if (Number(req.headers['content-length']) > body_bytes_max) throw tooLarge();
  // A client that expects this sends nothing before it.
  if (req.httpVersionMinor === 1 && req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
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
        pauseFor(req, account.arrived(chunk.length));
      } catch (error) {
        req.off('data', receive);
        bytes = no_bytes;
        reject(error);
      }
    };
    req.on('data', receive);
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

function hasBody({ headers }: IncomingMessage): boolean {
  const declared = headers['content-length'];
  return declared === undefined ? headers['transfer-encoding'] !== undefined : declared !== '0';
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
function pauseFor(req: IncomingMessage, ms: number): void {
  if (ms < 1) return;
  req.pause();
  setTimeout(() => req.resume(), ms).unref();
}

/**
 * Discards the rest of a body as it arrives, so that its sender can read the answer. All bodies
 * that are dropped share one pace. Closes the connection when more than `dropped_bytes_max` are
 * discarded, or when so much arrives from all that the next bytes would wait for more than
 * `drop_wait_ms_max`.
 */
export function dropBody(req: IncomingMessage, pace: BodyPace): void {
  if ((req.complete && req.readableLength === 0) || req.listenerCount('data') > 0) return;
  const toWait = pace.open('dropped');
  let dropped = 0;
  req.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    const wait_ms = toWait(chunk.length);
    if (dropped > dropped_bytes_max || wait_ms > drop_wait_ms_max) req.socket.destroy();
    else pauseFor(req, wait_ms);
  });
  req.resume();
}

/**
 * Whether so much of a body is announced that the connection is closed instead of discarding it.
 */
export function isTooLongToDrop({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > dropped_bytes_max;
}

function tooLarge(): HttpProblem {
  return new HttpProblem('body_too_large', `the body is larger than ${body_bytes_max} bytes`);
}

/**
 * Refuses (`unsupported_media_type`) a body unless its headers state uncompressed JSON in UTF-8.
 */
export function requireJsonType(req: IncomingMessage): void {
  const type = req.headers['content-type'];
  if (type !== 'application/json' && !isJsonType(type)) {
    throw new HttpProblem('unsupported_media_type', 'the Content-Type must be application/json (in UTF-8)');
  }
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HttpProblem(
      'unsupported_media_type',
      'the body must not be compressed: Content-Encoding is not supported',
    );
  }
}

function isJsonType(type: string | undefined): boolean {
  if (type === undefined) return false;
  const [essence, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (essence !== 'application/json') return false;
  return parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
}

/**
 * Parses the JSON value of a body. Refuses (`malformed_json`) a body that is not UTF-8, is not
 * JSON, is nested deeper than `nesting_max`, or contains text that cannot be stored (a NUL, half a
 * surrogate pair). A repeated name has its last value, and `__proto__` is an ordinary name.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('the body is not valid UTF-8');
  if (mayNestDeeper(bytes) && measureDepth(bytes) > nesting_max)
    throw malformed(`the body nests deeper than ${nesting_max} levels`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's message repeats the text around the problem, which may be a card number.
    throw malformed(bytes.length === 0 ? 'the body is empty; a JSON object is required' : 'the body is not valid JSON');
  }
  if (bytes.includes('\\u')) requireStorable(value, '');
  return value;
}

function malformed(message: string, path?: string): HttpProblem {
  if (path === undefined) return new HttpProblem('malformed_json', message);
  return new HttpProblem('malformed_json', `${path} ${message}`, {}, [{ path, message }]);
}

/** Whether there are more opening brackets than `nesting_max`. Most bodies have a few. */
function mayNestDeeper(bytes: Buffer): boolean {
  let opened = 0;
  for (const bracket of [0x7b, 0x5b]) {
    for (let at = bytes.indexOf(bracket); at >= 0; at = bytes.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > nesting_max) return true;
    }
  }
  return false;
}

/**
 * Returns the deepest nesting of brackets outside strings. It reads bytes, because a parser would
 * build the whole nested value first.
 */
function measureDepth(bytes: Buffer): number {
  let depth = 0;
  let depth_max = 0;
  let in_string = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (in_string) {
      if (byte === 0x5c) i += 1;
      else if (byte === 0x22) in_string = false;
    } else if (byte === 0x22) {
      in_string = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > depth_max) depth_max = depth;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
  return depth_max;
}

function requireStorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value))
      throw malformed('contains a NUL or half a surrogate pair, which is not text', path || 'body');
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) requireStorable(item, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (!isStorable(name))
        throw malformed('has a name with a NUL or half a surrogate pair, which is not text', path || 'body');
      requireStorable(item, path === '' ? name : `${path}.${name}`);
    }
  }
}
