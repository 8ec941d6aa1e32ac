import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import {
  type SendError,
  type WebhookAnswer,
  type WebhookRequest,
  type WebhookSender,
  webhook_request_ms_max,
} from '@tallystick/events';
import { Agent, buildConnector } from 'undici';
import { type AddressGuard, addressGuard, loopback_networks } from './address-guard.ts';
import { findCallbackUrlProblem } from './callback-url.ts';

/**
 * The stored part of an answer. The rest is read up to a limit, so that the connection can be
 * reused.
 */
const excerpt_bytes_max = 4_096;
const answer_bytes_max = 65_536;

/**
 * How long an idle connection is kept if the endpoint does not specify a time. Many endpoints close
 * theirs after five seconds. A request sent at that moment would be lost, and retried ten minutes
 * later.
 */
const idle_ms_max = 3_000;

/** The most callback URLs that are remembered as checked, and names as private. */
const dialable_max = 10_000;

/**
 * The time until a name is refused, milliseconds. It is the same for a name that does not resolve
 * and for one that resolves to refused addresses, unless the resolver takes longer.
 */
const refusal_ms_default = 1_000;

export interface WebhookClientPorts {
  readonly guard: AddressGuard;
  /**
   * Certificate authorities in addition to the system's, PEM. For endpoints in private networks,
   * and for tests.
   */
  readonly extra_authorities?: readonly string[];
  /**
   * Whether any certificate is accepted on loopback (127.0.0.0/8, ::1 and localhost), for a
   * developer's own programs. False by default. All other certificates are always checked.
   */
  readonly trusts_loopback?: boolean;
  /** Resolves names; the system's resolver by default. */
  readonly lookup?: LookupFunction;
  /** In milliseconds; `webhook_request_ms_max` when absent, and at most. */
  readonly request_time_ms?: number;
  /** The least time until a name is refused, milliseconds; 1,000 by default. */
  readonly refusal_ms?: number;
  /** The addresses for which a failed connection states its reason; public ones by default. */
  readonly explained?: AddressGuard;
}

/** A refusal at the time of connecting. Carries the reason through undici's own error. */
class ConnectRefused extends Error {
  readonly reason: SendError;

  constructor(reason: SendError, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * A sender over undici: one pool of connections per origin, guarded where the connection is made.
 */
export function webhookClient(ports: WebhookClientPorts): WebhookSender {
  const { guard } = ports;
  const time_ms = Math.min(ports.request_time_ms ?? webhook_request_ms_max, webhook_request_ms_max);
  const agent = new Agent({
    // There is no limit per origin. Webhooks of several companies may share one origin, and a
    // request that waited here for a slow one would use up its own 15 s. The courier limits the
    // requests in flight of each webhook.
    connections: null,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: idle_ms_max,
    maxResponseSize: -1,
    connect: connector(ports, time_ms),
  });

  /**
   * URLs whose text was checked. The text of a URL and the guard never change. A restart of the map
   * limits its size.
   */
  const dialable = new Map<string, URL>();

  function dialableUrl(text: string): URL {
    let url = dialable.get(text);
    if (url === undefined) {
      url = toDialableUrl(text, guard);
      if (dialable.size >= dialable_max) dialable.clear();
      dialable.set(text, url);
    }
    return url;
  }

  return {
    async send(request) {
      const started = performance.now();
      const measureDuration = () => Math.round(performance.now() - started);
      try {
        return await post(agent, dialableUrl(request.callback_url), request, time_ms, measureDuration);
      } catch (error) {
        return { kind: 'unanswered', ...explain(error, time_ms), duration_ms: measureDuration() };
      }
    },
    close: () => agent.close(),
  };
}

function connector(
  {
    guard,
    lookup = systemLookup,
    extra_authorities,
    trusts_loopback,
    refusal_ms,
    explained = addressGuard(),
  }: WebhookClientPorts,
  time_ms: number,
): buildConnector.connector {
  const common = { timeout: time_ms, allowH2: false };
  const wait_ms = refusal_ms ?? refusal_ms_default;
  const private_names = new Set<string>();
  const noteAddresses = (hostname: string, addresses: readonly string[]): void => {
    if (private_names.size >= dialable_max) private_names.clear();
    if (addresses.every((address) => explained.allows(address))) private_names.delete(hostname);
    else private_names.add(hostname);
  };
  const strict = buildConnector({
    ...common,
    lookup: guardedLookup(guard, lookup, wait_ms, noteAddresses),
    ...(extra_authorities === undefined ? {} : { ca: [...extra_authorities] }),
  });
  const isPrivate = (host: string): boolean => {
    const literal = host.replace(/^\[|\]$/g, '');
    return isIP(literal) === 0 ? private_names.has(host) : !explained.allows(literal);
  };
  /** Hides why a connection into a private network failed: it shows whether a port is open. */
  const discreet: buildConnector.connector = (request, callback) =>
    strict(request, (...result) => {
      const [error] = result;
      const is_hidden = error !== null && !(error instanceof ConnectRefused) && isPrivate(request.hostname);
      if (is_hidden) callback(new ConnectRefused('connection_failed', 'no connection was made'), null);
      else callback(...result);
    });
  if (trusts_loopback !== true) return discreet;
  const loopback = addressGuard(loopback_networks);
  const lenient = buildConnector({
    ...common,
    lookup: guardedLookup(loopback, lookup, wait_ms),
    rejectUnauthorized: false,
  });
  const isLoopback = (host: string): boolean => host === 'localhost' || loopback.allows(host.replace(/^\[|\]$/g, ''));
  return (request, callback) => (isLoopback(request.hostname) ? lenient : discreet)(request, callback);
}

async function post(
  agent: Agent,
  url: URL,
  request: WebhookRequest,
  time_ms: number,
  measureDuration: () => number,
): Promise<WebhookAnswer> {
  const answer = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers: request.headers,
    body: request.body,
    signal: AbortSignal.timeout(time_ms),
    headersTimeout: time_ms,
    bodyTimeout: time_ms,
  });
  const retry_after = answer.headers['retry-after'];
  return {
    kind: 'answered',
    status: answer.statusCode,
    excerpt: await readExcerpt(answer.body),
    retry_after: typeof retry_after === 'string' ? retry_after.slice(0, 100) : null,
    duration_ms: measureDuration(),
  };
}

function toDialableUrl(text: string, guard: AddressGuard): URL {
  const problem = findCallbackUrlProblem(text, guard);
  if (problem !== null) throw new ConnectRefused(problem.error, problem.message);
  return new URL(text);
}

/**
 * Resolves like the system, and returns the addresses only if all of them are allowed, because a
 * name with public and private addresses is an attack. The connection uses exactly the returned
 * addresses; nothing resolves a second time. A name is refused with one text and after the same
 * time, whether it does not resolve or resolves to a refused address: clients read the reason, and
 * must not learn which names exist in the private network.
 */
function guardedLookup(
  guard: AddressGuard,
  resolve: LookupFunction,
  refusal_ms: number,
  noteAddresses: (hostname: string, addresses: readonly string[]) => void = () => undefined,
): LookupFunction {
  return (hostname, lookup_options, callback) => {
    const started = performance.now();
    resolve(hostname, { ...lookup_options, all: true }, (error, resolved) => {
      const addresses = error === null && Array.isArray(resolved) ? resolved : [];
      const first = addresses[0];
      if (first === undefined || !addresses.every(({ address }) => guard.allows(address))) {
        const refused = new ConnectRefused('address_refused', `${hostname} has no address that may be called`);
        setTimeout(() => callback(refused, ''), refusal_ms - (performance.now() - started));
        return;
      }
      noteAddresses(
        hostname,
        addresses.map(({ address }) => address),
      );
      if (lookup_options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The first 4 KiB as text. After 64 KiB the rest is not read, and the connection is closed. */
function readExcerpt(body: Readable): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  // Events cost less than an iteration, which pauses and resumes the stream.
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(Buffer.concat(kept).toString('utf8'));
    body.on('data', (chunk: Buffer) => {
      if (bytes < excerpt_bytes_max) kept.push(chunk.subarray(0, excerpt_bytes_max - bytes));
      bytes += chunk.length;
      if (bytes <= answer_bytes_max) return;
      end();
      body.destroy();
    });
    body.on('end', end);
    body.on('error', reject);
  });
}

/** Names the error. Never quotes the endpoint. */
function explain(error: unknown, time_ms: number): { readonly error: SendError; readonly detail: string } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ConnectRefused) return { error: cause.reason, detail: cause.message };
    const code = 'code' in cause ? String(cause.code) : '';
    if (cause.name === 'TimeoutError' || /^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$|^ETIMEDOUT$/.test(code)) {
      return { error: 'timeout', detail: `no answer within ${time_ms} ms` };
    }
    if (/^ERR_TLS|^ERR_SSL|CERT|^UNABLE_TO_|SELF_SIGNED|^EPROTO$/.test(code))
      return { error: 'tls_failed', detail: code };
    if (/^[A-Z][A-Z_]+$/.test(code)) return { error: 'connection_failed', detail: code };
  }
  return { error: 'connection_failed', detail: 'the connection failed' };
}
