import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SendError } from '@tallystick/events';
import { machine_timers, type Timers } from '@tallystick/kernel';
import { Agent, buildConnector } from 'undici';
import { type AddressGuard, addressGuard, loopback_networks } from './address-guard.ts';
import { findUrlProblem } from './url-policy.ts';

/**
 * How long an idle connection is kept if the endpoint does not specify a time. Many endpoints close
 * theirs after five seconds. A request sent at that moment would be lost, and retried ten minutes
 * later.
 */
const idle_ms_max = 3_000;

/** The most names that are remembered as private. */
const private_names_max = 10_000;

/**
 * The time until a name is refused, milliseconds. It is the same for a name that does not resolve
 * and for one that resolves to refused addresses, unless the resolver takes longer.
 */
const refusal_ms_default = 1_000;

/** Where connections may lead, and what is trusted there. */
export interface ConnectionPorts {
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
  /** The least time until a name is refused, milliseconds; 1,000 by default. */
  readonly refusal_ms?: number;
  /** Those of the machine when absent. */
  readonly timers?: Timers;
  /** The addresses for which a failed connection states its reason; public ones by default. */
  readonly explained?: AddressGuard;
}

/** A refusal at the time of connecting. Carries the reason through undici's own error. */
export class ConnectRefused extends Error {
  readonly reason: SendError;

  constructor(reason: SendError, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** One pool of connections per origin, guarded where the connection is made. */
export function guardedAgent(ports: ConnectionPorts, time_ms: number): Agent {
  return new Agent({
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
}

/** Returns the URL if its text is allowed. Throws `ConnectRefused`. */
export function toDialableUrl(text: string, guard: AddressGuard): URL {
  const problem = findUrlProblem(text, guard);
  if (problem !== null) throw new ConnectRefused(problem.error, problem.message);
  return new URL(text);
}

function connector(
  {
    guard,
    lookup = systemLookup,
    extra_authorities,
    trusts_loopback,
    refusal_ms,
    explained = addressGuard(),
    timers = machine_timers,
  }: ConnectionPorts,
  time_ms: number,
): buildConnector.connector {
  // One for all connections: it takes longer to make than a request.
  const secureContext = createSecureContext(extra_authorities === undefined ? {} : { ca: [...extra_authorities] });
  const common = { timeout: time_ms, allowH2: false, secureContext };
  const wait_ms = refusal_ms ?? refusal_ms_default;
  const private_names = new Set<string>();
  const noteAddresses = (hostname: string, addresses: readonly string[]): void => {
    if (private_names.size >= private_names_max) private_names.clear();
    if (addresses.every((address) => explained.allows(address))) private_names.delete(hostname);
    else private_names.add(hostname);
  };
  const strict = buildConnector({
    ...common,
    lookup: guardedLookup(timers, guard, lookup, wait_ms, noteAddresses),
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
    lookup: guardedLookup(timers, loopback, lookup, wait_ms),
    rejectUnauthorized: false,
  });
  const isLoopback = (host: string): boolean => host === 'localhost' || loopback.allows(host.replace(/^\[|\]$/g, ''));
  return (request, callback) => (isLoopback(request.hostname) ? lenient : discreet)(request, callback);
}

/**
 * Resolves like the system, and returns the addresses only if all of them are allowed, because a
 * name with public and private addresses is an attack. The connection uses exactly the returned
 * addresses; nothing resolves a second time. A name is refused with one text and after the same
 * time, whether it does not resolve or resolves to a refused address: clients read the reason, and
 * must not learn which names exist in the private network.
 */
function guardedLookup(
  { monotonicNow, after }: Timers,
  guard: AddressGuard,
  resolve: LookupFunction,
  refusal_ms: number,
  noteAddresses: (hostname: string, addresses: readonly string[]) => void = () => undefined,
): LookupFunction {
  return (hostname, lookup_options, callback) => {
    const started = monotonicNow();
    resolve(hostname, { ...lookup_options, all: true }, (error, resolved) => {
      const addresses = error === null && Array.isArray(resolved) ? resolved : [];
      const first = addresses[0];
      if (first === undefined || !addresses.every(({ address }) => guard.allows(address))) {
        const refused = new ConnectRefused('address_refused', `${hostname} has no address that may be called`);
        after(refusal_ms - (monotonicNow() - started), () => callback(refused, ''));
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

/** Names the error. Never quotes the endpoint. */
export function explain(error: unknown, time_ms: number): { readonly error: SendError; readonly detail: string } {
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
