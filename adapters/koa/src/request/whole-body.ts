import { IncomingMessage } from 'node:http';
import type { BodyAccount } from './bodies.ts';

/**
 * A body of this length or less takes no memory of other bodies: the server buffers as much of every
 * request. So slow bodies of strangers do not refuse an assertion from the same address.
 */
const small_bytes = 16 * 1024;

/** An account whose first bytes are free. */
export function withSmallFree(account: BodyAccount): BodyAccount {
  let free = small_bytes;
  return {
    ...account,
    take(bytes) {
      const counted = Math.max(0, bytes - free);
      free -= bytes - counted;
      if (counted > 0) account.take(counted);
    },
  };
}

/**
 * The same request with its body ready to be read: what reads it never waits for the sender, so a
 * slow sender is not in progress.
 */
export function withBody(req: IncomingMessage, bytes: Buffer): IncomingMessage {
  const whole = new IncomingMessage(req.socket);
  whole.httpVersion = req.httpVersion;
  whole.httpVersionMajor = req.httpVersionMajor;
  whole.httpVersionMinor = req.httpVersionMinor;
  if (req.method !== undefined) whole.method = req.method;
  if (req.url !== undefined) whole.url = req.url;
  whole.rawHeaders = req.rawHeaders;
  whole.headers = { ...req.headers };
  whole.complete = true;
  if (bytes.length > 0) whole.push(bytes);
  whole.push(null);
  return whole;
}
