import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Random, Timers } from '@tallystick/kernel';
import { cut_off_request, describeBrokenRequest, tunnel_request, writeBrokenAnswer } from '../answer/broken-request.ts';
import { createUnreadAnswers } from '../answer/unread-answers.ts';
import type { Log } from '../operations/log.ts';
import type { Metrics } from '../operations/metrics.ts';
import { bodies_bytes_max_default } from '../request/bodies.ts';
import { dropBody } from '../request/body.ts';
import { createBodyDeadlines } from '../request/body-deadlines.ts';
import { createBodyPace } from '../request/body-pace.ts';
import { readRequestId } from '../request/request-id.ts';
import { createConnections } from './connections.ts';
import { createPipelinedRequests } from './pipelined-requests.ts';

/** The most open connections unless configured otherwise. */
export const connections_max_default = 4096;

/**
 * Headers must arrive in 10 s and a body in 60 s, because slow clients occupy connections. Idle
 * connections outlast a load balancer's 60 s. A request that waits for its turn or its key is
 * buffered up to the high-water mark.
 */
const limits = {
  headersTimeout: 10_000,
  // The time of a body depends on its route (`BodyDeadlines`).
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  highWaterMark: 16 * 1024,
  // The application answers it like every refused request.
  requireHostHeader: false,
};

/** How long a TLS handshake may take. */
const handshake_ms_max = 10_000;

/** How long a body may take after its headers. */
const body_ms_max = 60_000;

/** How long a client may take to read the last answer of a connection that is closed. */
const lingering_ms = 1_000;

export interface HttpServerOptions {
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Pick<Log, 'info'>;
  readonly metrics: Pick<Metrics, 'request'>;
  /**
   * Above it, one is closed for each further one, first of callers who are not known;
   * `connections_max_default` when absent.
   */
  readonly connections_max?: number;
  /**
   * The most bytes of all answers that are not read yet; `bodies_bytes_max_default` when absent.
   */
  readonly unread_bytes_max?: number;
  /** How long a body may take, milliseconds; 60 s when absent. */
  readonly body_ms_max?: number;
  /** The time between two looks for bodies that take longer, milliseconds; 5 s when absent. */
  readonly body_look_every_ms?: number;
  /** The server terminates TLS. Absent: it serves plain HTTP. */
  readonly tls?: TlsOptions | undefined;
}

/** What a server needs to terminate TLS. All in PEM. */
export interface TlsOptions {
  /** The certificate of the server, with its chain. */
  readonly certificate: string;
  readonly key: string;
  /**
   * The authorities of client certificates. A client may then have a certificate; one of another
   * authority counts as none. Null: none is requested.
   */
  readonly client_ca: string | null;
}

/**
 * Creates the HTTP server of an application (`createHttpApp(...).callback()`). It bounds the memory
 * that a client takes before it is known, answers bytes that are not a request with the usual error
 * body, and closes each connection in order (ADR 0024).
 */
export function createHttpServer(
  answer: (req: IncomingMessage, res: ServerResponse) => unknown,
  options: HttpServerOptions,
): Server {
  const { timers } = options;
  const requests = createPipelinedRequests(
    (res) => answer(res.req, res),
    (socket) => closeSoon(timers, socket),
  );
  const unread = createUnreadAnswers(options.unread_bytes_max ?? bodies_bytes_max_default, timers);
  const pace = createBodyPace(timers.monotonicNow);
  // Each request has these listeners, so they are shared.
  function prepared(this: ServerResponse): void {
    unread.add(this);
    dropBody(this.req, pace, timers);
  }
  function closed(this: ServerResponse): void {
    unread.delete(this);
    requests.closed(this);
  }
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    res.on('prefinish', prepared);
    res.on('close', closed);
    deadlines.watch(req);
    requests.take(res);
  };

  const refuse = (socket: Duplex, broken: Parameters<typeof writeBrokenAnswer>[0]): void => {
    requests.close(socket, (may_answer) => {
      if (!may_answer || !socket.writable) {
        socket.destroy();
        return;
      }
      const request_id = readRequestId(undefined, options.random);
      options.metrics.request('none', 'none', broken.status, 0);
      const what = broken === cut_off_request ? 'request cut off' : 'not a request';
      options.log.info({ request_id, status: broken.status, code: broken.code }, what);
      closeSoon(timers, socket, writeBrokenAnswer(broken, request_id, { is_https: options.tls !== undefined }));
    });
  };

  const deadlines = createBodyDeadlines(
    options.body_ms_max ?? body_ms_max,
    options.body_look_every_ms ?? limits.connectionsCheckingInterval,
    timers,
    ({ socket }) => refuse(socket, describeBrokenRequest('ERR_HTTP_REQUEST_TIMEOUT')),
  );
  const server = options.tls === undefined ? createServer(limits, handle) : createTls(options.tls, handle);
  const connections = createConnections(options.connections_max ?? connections_max_default);
  server.on('connection', (socket) => connections.add(socket));
  server.on('secureConnection', (socket) => connections.watch(socket));
  // A client that has sent its last request and closed its side still gets its answers.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // The body is asked for when it is read. Other expectations are ignored (RFC 9110, 10.1.1).
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('connect', (_req, socket) => {
    socket.on('error', () => undefined);
    refuse(socket, tunnel_request);
  });
  server.on('clientError', (error: Error & { readonly code?: string }, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, describeBrokenRequest(error.code));
  });
  return server;
}

/**
 * What FAPI 1 Advanced 8.5 permits below TLS 1.3, and the suites of TLS 1.3. The former are for RSA
 * certificates: a server with another one speaks TLS 1.3 only.
 */
const cipher_suites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-AES128-GCM-SHA256',
];

/** The same server within TLS. It requires no client certificate, because most routes need none. */
function createTls(
  { certificate, key, client_ca }: TlsOptions,
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): Server {
  const client = client_ca === null ? {} : { ca: client_ca, requestCert: true, rejectUnauthorized: false };
  const options: ServerOptions = {
    ...limits,
    cert: certificate,
    key,
    minVersion: 'TLSv1.2',
    ciphers: cipher_suites.join(':'),
    dhparam: 'auto',
    handshakeTimeout: handshake_ms_max,
  };
  return createTlsServer({ ...options, ...client }, handle);
}

/** Closes the connection when everything is sent, and at the latest after `lingering_ms`. */
function closeSoon({ after }: Timers, socket: Duplex, last_bytes = ''): void {
  if (socket.destroyed) return;
  socket.end(last_bytes);
  socket.once(
    'close',
    after(lingering_ms, () => socket.destroy()),
  );
}
