import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { createInterruption } from '@tallystick/operations';
import { dropped_bytes_max } from '../request/body.ts';
import { pathOfTarget } from '../request/target.ts';
import { createPlaceFinder, type Mount, type MountOptions, recordMount } from './mount.ts';
import type { MountedApp } from './node-handler.ts';

/** Answers a request of the Fetch standard. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Headers about one connection. The host's connection is another one. */
const connection_headers = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Statuses of answers that have no body. */
const bodiless = new Set([204, 205, 304]);

/**
 * Returns the interface as a function of the Fetch standard, for Hono and other servers that have
 * requests and responses of this kind:
 *
 *   app.all('/cards/*', (c) => handler(c.req.raw))       with the prefix /cards
 *   app.mount('/cards', handler)                          Hono strips the URL: also `is_stripped`
 *
 * Bodies are passed on as they arrive, in both directions. The work of an answer ends when the
 * signal of its request is aborted, and when its body is cancelled. What `createNodeHandler` says of
 * links, signatures and body parsers also holds here. A path that is not below the prefix is
 * answered 404.
 *
 * Each request goes through Node's own HTTP implementation, over a pair of streams in memory, so
 * that it behaves as on a socket. Rejects with the reason of the signal, or when the answer breaks
 * off before it begins.
 */
export function createFetchHandler(app: MountedApp, options: MountOptions = {}): FetchHandler {
  const find = createPlaceFinder(options);
  const answer = app.callback();
  const { lifecycle } = app;
  /** Requests that the application has not counted yet. */
  const arriving = new WeakMap<Duplex, { readonly mount: Mount; readonly leave: () => void }>();
  const arrived = (socket: Duplex): void => {
    const leave = arriving.get(socket)?.leave;
    if (arriving.delete(socket)) leave?.();
  };
  const server = createServer({ requireHostHeader: false, requestTimeout: 0, headersTimeout: 0 }, (req, res) => {
    const mount = arriving.get(req.socket)?.mount;
    if (mount !== undefined) recordMount(req, mount);
    answer(req, res);
    arrived(req.socket);
  });

  return async (request) => {
    const target = (pathOfTarget(request.url) ?? '/').replace(/#.*$/s, '');
    const place = find({ url: target, original_url: undefined });
    const is_body_taken = request.bodyUsed || request.body?.locked === true;
    const [near, far] = duplexPair();
    const mount: Mount = {
      prefix: place?.prefix ?? '',
      target: place?.target ?? target,
      protocol: /^https:/i.test(request.url) ? 'https' : 'http',
      is_body_taken,
      host_headers: new Set(),
      is_outside: place === null,
      is_accepted: !lifecycle.stopping,
    };
    arriving.set(far, { mount, leave: lifecycle.enter() });
    far.once('close', () => arrived(far));
    server.emit('connection', far);
    linkEnds(near, far);
    return await exchange(request, near, place?.url ?? target, is_body_taken ? null : request.body);
  };
}

/** Each side is notified when the other one is gone, as on a socket. */
function linkEnds(near: Duplex, far: Duplex): void {
  near.on('error', () => undefined).once('close', () => far.destroy());
  far
    .on('error', () => undefined)
    .once('close', () => {
      // What was sent whole is still to be read.
      if (!far.writableFinished) near.destroy(new Error('the answer broke off'));
    });
}

/** Sends the request to the other side, and returns its answer. */
async function exchange(
  request: Request,
  near: Duplex,
  path: string,
  body: ReadableStream<Uint8Array> | null,
): Promise<Response> {
  const { signal, method } = request;
  signal.throwIfAborted();
  const outgoing = httpRequest({
    createConnection: () => near,
    method,
    path,
    headers: headersOf(request, body !== null),
  });
  const abort = (): void => void outgoing.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  near.once('close', () => signal.removeEventListener('abort', abort));
  outgoing.on('error', () => undefined);
  const received = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  if (body === null) outgoing.end();
  else sendBody(body, outgoing);
  const [incoming] = await received;
  // An answer that comes before the end of the body also ends the request.
  incoming.once('close', () => outgoing.destroy());
  return toResponse(incoming, method);
}

/**
 * Sends a body no faster than it is taken. When the request ends before, the rest is discarded, so
 * that the sender can read the answer and use its connection again.
 */
async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ClientRequest): Promise<void> {
  const reader = body.getReader();
  const ended = createInterruption();
  outgoing.once('close', () => ended.interrupt(new Error('the request has ended')));
  try {
    for (;;) {
      const { done, value } = await ended.during(reader.read());
      if (done) break;
      if (!outgoing.write(value)) await ended.during(once(outgoing, 'drain'));
    }
    outgoing.end();
  } catch (error) {
    // The sender is gone, or the answer came first.
    outgoing.destroy(error as Error);
    await discard(reader).catch(() => undefined);
  }
}

/** Reads a body to its end, or stops its sender when it is too long. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let discarded = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    discarded += value.length;
    if (discarded > dropped_bytes_max) return await reader.cancel();
  }
}

function headersOf({ url, headers }: Request, has_body: boolean): OutgoingHttpHeaders {
  const sent: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (!connection_headers.has(name) && (has_body || name !== 'content-length')) sent[name] = value;
  }
  sent.host ??= new URL(url).host;
  return sent;
}

function toResponse(incoming: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = rawHeaders.slice(at, at + 2) as [string, string];
    if (!connection_headers.has(name.toLowerCase())) headers.append(name, value);
  }
  if (method === 'HEAD' || bodiless.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers });
}
