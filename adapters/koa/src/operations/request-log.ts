import type { Principal } from '@tallystick/access';
import type { Timers } from '@tallystick/kernel';
import { isId } from '@tallystick/operations';
import type { Route } from '../join-endpoints.ts';
import type { RequestContext } from '../request/pipeline.ts';
import { health_paths } from './health-routes.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';

export interface RequestLog {
  /** Logs a request when its answer has reached the network, or its client has gone. */
  ended(ctx: RequestContext, duration_ms: number): void;
  /** Logs a message of the network that was refused unread, which takes no time. */
  refused(route: Pick<Route, 'method' | 'path'>, status: number, principal: Principal, request_id: string): void;
}

/** Of a line: which request, and how long it took. */
interface Request {
  readonly request_id: string;
  readonly duration_ms: number;
}

/** Requests whose lines have nothing else of their own. */
interface Group {
  readonly ctx: RequestContext;
  readonly status: number;
  readonly is_aborted: boolean;
  readonly requests: Request[];
}

/** Refused messages of one caller. */
interface Refusals {
  readonly route: Pick<Route, 'method' | 'path'>;
  readonly status: number;
  readonly principal: Principal;
  readonly requests: Pick<Request, 'request_id'>[];
}

/** How long a request waits for others that share its line, milliseconds. */
const gathering_ms = 10;

/**
 * A line has an id and no other part of the path, and no query, because a caller may have written a
 * card number there. Requests of the `grouped_routes` that end within `gathering_ms` and differ in
 * nothing but their ids and durations share a line: under load a line of its own for each message
 * would take as long as to read the message. While the server stops nothing waits.
 */
export function createRequestLog(
  log: Pick<Log, 'debug' | 'info'>,
  { after }: Pick<Timers, 'after'>,
  { signal }: Pick<Lifecycle, 'signal'>,
  grouped_routes: ReadonlySet<string>,
): RequestLog {
  let groups: Group[] = [];
  let refusals: Refusals[] = [];
  signal.addEventListener('abort', write, { once: true });

  function add(ctx: RequestContext, request: Request): void {
    gather();
    const { state, res } = ctx;
    const status = statusOf(res);
    const is_aborted = !res.writableFinished;
    const group = groups.find(
      (other) =>
        other.status === status &&
        other.is_aborted === is_aborted &&
        other.ctx.state.route === state.route &&
        other.ctx.state.principal === state.principal &&
        other.ctx.state.source_address === state.source_address,
    );
    if (group !== undefined) group.requests.push(request);
    else groups.push({ ctx, status, is_aborted, requests: [request] });
    if (signal.aborted) write();
  }

  function gather(): void {
    if (groups.length === 0 && refusals.length === 0) after(gathering_ms, write);
  }

  function write(): void {
    const ended = groups;
    groups = [];
    const refused = refusals;
    refusals = [];
    for (const { route, status, principal, requests } of refused) {
      const { method, path } = route;
      const { key_id, company_id } = principal;
      log.info({ method, route: path, status, key_id, company_id, requests }, 'requests refused');
    }
    for (const { ctx, requests } of ended) {
      const [first, ...others] = requests;
      if (others.length === 0) log.info(summarize(ctx, first!), 'request');
      else log.info({ ...summarize(ctx, null), requests }, 'requests');
    }
  }

  return {
    ended(ctx, duration_ms) {
      const { request_id, route, lines } = ctx.state;
      const request = { request_id, duration_ms: Math.round(duration_ms * 1000) / 1000 };
      if (lines === undefined && grouped_routes.has(route)) add(ctx, request);
      else if (health_paths.has(route)) log.debug(summarize(ctx, request), 'request');
      else log.info(summarize(ctx, request), 'request');
    },
    refused(route, status, principal, request_id) {
      gather();
      const refused = refusals.find((other) => other.route === route && other.principal === principal);
      if (refused !== undefined) refused.requests.push({ request_id });
      else refusals.push({ route, status, principal, requests: [{ request_id }] });
      if (signal.aborted) write();
    },
  };
}

/** The fields of a line. `request` is null when several share it. */
function summarize({ method, params, res, state }: RequestContext, request: Request | null): object {
  return {
    ...(request === null ? {} : { request_id: request.request_id }),
    source_address: state.source_address,
    method,
    route: state.route,
    ...(isId(params?.id) ? { id: params.id } : {}),
    status: statusOf(res),
    ...(request === null ? {} : { duration_ms: request.duration_ms }),
    ...(state.principal === null ? {} : { key_id: state.principal.key_id, company_id: state.principal.company_id }),
    ...(state.interaction_id === undefined ? {} : { interaction_id: state.interaction_id }),
    ...(state.lines === undefined ? {} : { lines: state.lines }),
    ...(state.third_party === undefined ? {} : { third_party: state.third_party }),
    ...(res.writableFinished ? {} : { aborted: true }),
  };
}

/** The status of the answer; 499 when the client was gone before there was one. */
export function statusOf({ headersSent, statusCode }: RequestContext['res']): number {
  return headersSent ? statusCode : 499;
}
