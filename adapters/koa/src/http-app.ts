import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from '@koa/router';
import { type Authenticator, createAuthenticator } from '@tallystick/access';
import { type HmacSha256, Refusal, type Timers, type UnitOfWork } from '@tallystick/kernel';
import type { OperationTx } from '@tallystick/operations';
import Koa from 'koa';
import { render } from './answer/answer.ts';
import { type Deprecation, deprecationHeaders } from './answer/deprecation.ts';
import { errorAnswer, HttpProblem, isExpected, overloadAnswer } from './answer/error-answer.ts';
import { escapeHtml, type HtmlPage, showPage } from './answer/html-page.ts';
import { headersOf, send } from './answer/send.ts';
import { cardDetailsPage } from './card-details.ts';
import { addressOwner, createAddressReader } from './connection/client-address.ts';
import { createConsoleAnswering, isConsolePath } from './console/console.ts';
import type { ConsoleEndpoint } from './console/ports.ts';
import { documentRoutes } from './document/document-routes.ts';
import { messages_path } from './endpoints.ts';
import { createOperations, network_paths, type RoutePorts, routesOf } from './join-endpoints.ts';
import { mountOf, taken_body_message } from './mounting/mount.ts';
import { createMessages } from './network/messages.ts';
import { createRefuse, type Refuse } from './network/refusals.ts';
import { createAuthorisationAnswering } from './open-banking/authorisation.ts';
import { createOpenBankingAnswering } from './open-banking/pipeline.ts';
import type { OpenBankingPorts } from './open-banking/ports.ts';
import { isOpenBankingPath } from './open-banking/routes.ts';
import { health_paths, healthRoutes } from './operations/health-routes.ts';
import type { Lifecycle } from './operations/lifecycle.ts';
import { toLoggedError } from './operations/log.ts';
import type { Metrics } from './operations/metrics.ts';
import { createRequestLog, type RequestLog, statusOf } from './operations/request-log.ts';
import { Overloaded, requests_max_default } from './request/admission.ts';
import { bodies_bytes_max_default, createBodies } from './request/bodies.ts';
import { createBodyPace } from './request/body-pace.ts';
import { createDoors } from './request/doors.ts';
import type { Page } from './request/page.ts';
import {
  createAnswering,
  type HttpContext,
  type PipelinePorts,
  type RequestContext,
  type RequestState,
} from './request/pipeline.ts';
import { createRateLimit } from './request/rate-limit.ts';
import { readRequestId } from './request/request-id.ts';
import { createShares, inShares, type Shares, transactions_max_default } from './request/shares.ts';
import { createStrangers, type Pause } from './request/strangers.ts';
import type { SystemRoute } from './request/system-route.ts';
import { lacksHost, normalizeTarget } from './request/target.ts';
import { createUploads, uploads_max } from './request/uploads.ts';

/**
 * The parts of the HTTP interface. The caller supplies everything; the interface reads no
 * configuration. Timestamps of signatures are compared with the machine time of `timers`, never
 * with the sandbox's clock.
 */
export interface HttpAppPorts extends Omit<RoutePorts, 'keyChanged' | 'companyChanged'> {
  /**
   * The same as `unitOfWork` for what a decision needs besides its pass: API keys, and idempotency
   * keys of network messages. `unitOfWork` when absent.
   */
  readonly look_ups?: UnitOfWork<OperationTx>;
  readonly hmacSha256: HmacSha256;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
  /** Resolves when the database responds. */
  readonly ping: () => Promise<void>;
  /** The migrations that a newer version has applied beside this process; none when absent. */
  readonly newerMigrations?: () => readonly string[];
  /** Requests a minute for keys without a separate limit. Null: no limit. */
  readonly rate_limit_per_minute: number | null;
  /**
   * The most network messages in progress, and separately other requests with an API key;
   * `requests_max_default` when absent. Further ones are answered 503. `Doors` has the others.
   */
  readonly requests_max?: number;
  /**
   * The most transactions of requests at the same time; `transactions_max_default` when absent.
   * Further ones wait.
   */
  readonly transactions_max?: number;
  /**
   * The most bytes of all bodies that are received or worked on; `bodies_bytes_max_default` when
   * absent. Further ones are answered 503.
   */
  readonly bodies_bytes_max?: number;
  /** False: only health and metrics, for a process that only sends deliveries. True when absent. */
  readonly serves_api?: boolean;
  /** Open Banking with its authorisation server. Absent: nothing is at its paths. */
  readonly open_banking?: OpenBankingPorts | undefined;
  /**
   * Identifies callers. An own one when absent. A process that also calls in process shares one, so
   * that keys that are revoked there are forgotten here at once (`createKeyAuthenticator`).
   */
  readonly authenticator?: Authenticator;
  /** What the operator announces about the virtual card interface. Nothing when null or absent. */
  readonly v1_deprecation?: Deprecation | null;
  /** The console. Absent or null: it is not served. */
  readonly console?: ConsoleEndpoint | null;
  /**
   * Pages about the interface. `/` leads to the first, or to the OpenAPI document without one; in a
   * sandbox to the console, if it is served.
   */
  readonly pages?: readonly Page[];
  /** The version in the OpenAPI document. */
  readonly version: string;
  /** Whether a proxy in front serves the interface over https. False when absent. */
  readonly is_behind_https?: boolean;
  /** Waits so many milliseconds before a stranger is refused; a timer when absent. */
  readonly pause?: Pause;
  /** The networks of the proxies whose `X-Forwarded-For` is believed, as CIDR. None when absent. */
  readonly trusted_proxies?: readonly string[];
}

/** Creates what identifies the callers of a process. It remembers a key for two seconds. */
export function createKeyAuthenticator({
  unitOfWork,
  look_ups = unitOfWork,
  sealer,
  sha256,
  sandbox,
  clock,
  timers,
  keyUsed = () => {},
}: Pick<HttpAppPorts, 'unitOfWork' | 'look_ups' | 'sealer' | 'sha256' | 'sandbox' | 'clock' | 'timers'> & {
  readonly keyUsed?: (key_id: number) => void;
}): Authenticator {
  const sandbox_company_id = sandbox?.company_id ?? null;
  return createAuthenticator({
    unitOfWork: look_ups,
    sealer,
    sha256,
    monotonicNow: timers.monotonicNow,
    sandbox_company_id,
    clock,
    keyUsed,
  });
}

/** Lets an authenticator forget the keys that an operation revokes or changes. */
export function forgetting(
  authenticator: Authenticator | undefined,
): Pick<RoutePorts, 'keyChanged' | 'companyChanged'> {
  return {
    keyChanged: (key_id) => authenticator?.forget(key_id),
    companyChanged: (company_id) => authenticator?.forgetCompany(company_id),
  };
}

/**
 * What a server serves: `network` receives messages of the card network, `others` has all other
 * routes. Both have health and metrics.
 */
export type ServedPart = 'all' | 'network' | 'others';

function isServed(part: ServedPart, path: string): boolean {
  return part === 'all' || health_paths.has(path) || network_paths.has(path) === (part === 'network');
}

/** The HTTP interface, a Koa application: its public type is free of Koa's. */
export interface HttpApp {
  /** Returns the listener of requests for a server of `node:http`. `part` is all when absent. */
  callback(part?: ServedPart): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly lifecycle: Lifecycle;
  readonly timers: Timers;
}

const done = Promise.resolve();

const unsent_message = 'an answer could not be sent';

/** Creates the HTTP interface, for `createHttpServer(app.callback(), ports)`. */
export function createHttpApp(ports: HttpAppPorts): HttpApp {
  const { log, metrics, lifecycle, sandbox, timers, look_ups = ports.unitOfWork } = ports;
  const { monotonicNow } = timers;
  const authenticator = ports.authenticator ?? createKeyAuthenticator(ports);
  const pace = createBodyPace(monotonicNow);
  const bodies = createBodies(ports.bodies_bytes_max ?? bodies_bytes_max_default, pace);
  const pipeline: PipelinePorts = {
    ...ports,
    look_ups,
    machine_clock: timers,
    authenticator,
    bodies,
    uploads: createUploads(uploads_max, pace),
    shares: createShares(ports.transactions_max ?? transactions_max_default, timers),
    doors: createDoors(ports.requests_max ?? requests_max_default, timers),
    strangers: createStrangers(monotonicNow, ports.pause ?? pauseUntil(timers, lifecycle.signal)),
    rate_limit: createRateLimit(monotonicNow),
    refreshClock: sandbox?.refreshClock,
  };
  const serves_api = ports.serves_api ?? true;
  const routes = serves_api ? routesOf(createOperations({ ...ports, ...forgetting(authenticator) })) : [];
  metrics.watchInFlight(() => lifecycle.in_flight);
  metrics.watchBodies(() => bodies.held_bytes);

  const slowDown = slowingDown(pipeline, lifecycle);
  const request_log = createRequestLog(log, timers, lifecycle, network_paths);
  const surround = createSurrounding(ports, request_log, slowDown);
  const is_behind_https = ports.is_behind_https === true;
  const refusal_ports = { pipeline, metrics, request_log, lifecycle, is_behind_https };

  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const handlers = new Map<string, (ctx: RequestContext) => Promise<void>>();
  const refusing = new Map<string, Refuse>();
  for (const route of routes) {
    const answer = createAnswering(pipeline, route);
    const handle = async (ctx: RequestContext) => send(ctx, await answer(ctx), lifecycle, timers);
    const at = `${route.method} ${route.path}`;
    if (!route.path.includes(':')) handlers.set(at, handle);
    if (route.sheds_load !== undefined) refusing.set(at, createRefuse(refusal_ports, route));
    const layer = router.register(route.path, [route.method], (ctx) => handle(ctx as HttpContext));
    // The router serves HEAD with every GET.
    if (route.has_effect) layer.methods = [route.method];
  }
  const exchange = createMessages(pipeline, pace, routes, lifecycle);
  if (exchange !== null) {
    handlers.set(`POST ${messages_path}`, exchange);
    router.register(messages_path, ['POST'], (ctx) => exchange(ctx as HttpContext));
  }
  /** Outside the API: callers take turns at the door. Without one nothing makes them wait. */
  const serve = (door: Shares | null, system_routes: readonly SystemRoute[]): void => {
    for (const { method = 'GET', path, answer } of system_routes) {
      router.register(path, [method], async (koa_ctx) => {
        const ctx = koa_ctx as HttpContext;
        ctx.state.route = path;
        for (const [name, value] of Object.entries(headersOf(ctx, lifecycle))) ctx.set(name, value);
        const work = async () => await answer(ctx);
        await (door === null ? work() : door.run(addressOwner(ctx.state.source_address), work));
      });
    }
  };
  const home_page = sandbox === null ? undefined : ports.console?.path;
  const home = home_page ?? ports.pages?.[0]?.path ?? '/openapi.json';
  serve(null, healthRoutes(ports));
  if (serves_api) {
    const unitOfWork = inShares(pipeline.shares, 'card details', ports.unitOfWork);
    const { version, v1_deprecation = null } = ports;
    const document_options = { version, open_banking: ports.open_banking !== undefined, v1_deprecation, home };
    serve(pipeline.doors.documents, documentRoutes(routes, ports.pages ?? [], document_options));
    serve(pipeline.doors.card_details, cardDetailsPage({ ...ports, unitOfWork, refreshClock: sandbox?.refreshClock }));
  }

  const app = new Koa<RequestState>();
  app.on('error', (error, ctx?: HttpContext) => {
    const facts = { request_id: ctx?.state.request_id, err: toLoggedError(error) };
    // A client may leave at any time, also within its body.
    if (ctx?.req.socket.errored === error) log.info(facts, 'the connection broke off');
    else log.error(facts, unsent_message);
  });
  app.use(surround.middleware);
  /** What the server of a request serves, unless all. */
  const parts = new WeakMap<IncomingMessage, ServedPart>();
  app.use((koa_ctx, next) => {
    const ctx = koa_ctx as HttpContext;
    if (!isServed(parts.get(ctx.req) ?? 'all', ctx.path)) throw describeMissing(ctx);
    return next();
  });
  if (serves_api && ports.open_banking !== undefined) {
    app.use(openBanking(pipeline, ports.open_banking, lifecycle, slowDown));
  }
  if (ports.console) {
    const { console: endpoint } = ports;
    const answer = createConsoleAnswering({ ...pipeline, is_behind_https }, endpoint, lifecycle);
    app.use((ctx, next) => {
      const is_ours = isConsolePath(endpoint, ctx.path) && !health_paths.has(ctx.path);
      return is_ours ? answer(ctx as HttpContext) : next();
    });
  }
  // A path without parameters needs no search. The router compares a path with every route. With
  // such a path, and without a query, a request of our own server does not even come here.
  const search = router.routes();
  app.use((ctx, next) => {
    const handle = handlers.get(`${ctx.method} ${ctx.path}`);
    return handle === undefined ? search(ctx as never, next) : handle(ctx as HttpContext);
  });
  const first_words = new Set(routes.map((route) => route.path.split('/')[1]));
  app.use((koa_ctx) => {
    const ctx = koa_ctx as HttpContext;
    const missing = describeMissing(ctx);
    const is_page = missing instanceof Refusal && serves_api && !first_words.has(ctx.path.split('/')[1]);
    if (!is_page || ctx.accepts('json', 'html') !== 'html') throw missing;
    for (const [name, value] of Object.entries(headersOf(ctx, lifecycle))) ctx.set(name, value);
    showPage(ctx, notFoundPage((mountOf(ctx.req)?.prefix ?? '') + home));
  });
  return {
    callback(part = 'all') {
      const answerByKoa = app.callback();
      return (req, res) => {
        const { method = '', url = '' } = req;
        const at = `${method} ${url}`;
        const handle = isServed(part, url) ? handlers.get(at) : undefined;
        if (handle === undefined || mountOf(req) !== undefined || lacksHost(req)) {
          if (part !== 'all') parts.set(req, part);
          return answerByKoa(req, res);
        }
        if (refusing.get(at)?.(req, res)) return done;
        const ctx: RequestContext = { req, res, method, path: url, querystring: '', state: {} as RequestState };
        return surround
          .during(ctx, () => handle(ctx))
          .catch((error) => {
            log.error({ request_id: ctx.state.request_id, err: toLoggedError(error) }, unsent_message);
            res.destroy();
          });
      };
    },
    lifecycle,
    timers,
  };
}

/** Answers the requests to Open Banking and to its authorisation server, and passes on all others. */
function openBanking(
  pipeline: PipelinePorts,
  open_banking: OpenBankingPorts,
  lifecycle: Lifecycle,
  slowDown: SlowDown,
): Koa.Middleware<RequestState> {
  const { authorisation } = open_banking;
  const answerAuthorisation = createAuthorisationAnswering(pipeline, authorisation, lifecycle);
  const answerOpenBanking = createOpenBankingAnswering(pipeline, open_banking);
  return async (koa_ctx, next) => {
    const ctx = koa_ctx as HttpContext;
    // The issuer and the standard's paths are at the root of an address.
    if (mountOf(ctx.req)?.prefix) return await next();
    if (authorisation.handles(ctx.path)) return await answerAuthorisation(ctx);
    if (!isOpenBankingPath(ctx.path)) return await next();
    const answer = await answerOpenBanking(ctx);
    await slowDown(ctx, answer.status);
    await send(ctx, answer, lifecycle, pipeline.timers);
  };
}

/** Waits with a timer, and at most until the signal: nobody waits for strangers at the end. */
function pauseUntil({ pause }: Timers, stop: AbortSignal): Pause {
  return (ms, gone) => {
    const signal = gone === undefined ? stop : AbortSignal.any([stop, gone]);
    return pause(ms, { signal });
  };
}

/** Waits before a request is refused whose caller is not known (ADR 0059). */
type SlowDown = (ctx: RequestContext, status: number) => Promise<void>;

function slowingDown({ strangers }: PipelinePorts, lifecycle: Lifecycle): SlowDown {
  return async ({ state }, status) => {
    const is_refused = status >= 400 && status < 500;
    if (!is_refused || state.is_known || lifecycle.stopping || health_paths.has(state.route)) return;
    if (!(await strangers.slowDown(addressOwner(state.source_address)))) state.is_turned_away = true;
  };
}

/** What every request has: its id, its entry in log and metrics, and an answer to every error. */
interface Surrounding {
  readonly middleware: Koa.Middleware<RequestState>;
  /** The same for a request of our own server that needs nothing else of Koa. */
  during(ctx: RequestContext, work: () => Promise<void>): Promise<void>;
}

function createSurrounding(
  { log, metrics, lifecycle, timers, random, trusted_proxies, is_behind_https, v1_deprecation = null }: HttpAppPorts,
  request_log: RequestLog,
  slowDown: SlowDown,
): Surrounding {
  const addressOf = createAddressReader(trusted_proxies ?? []);
  const deprecation = v1_deprecation === null ? null : deprecationHeaders(v1_deprecation);

  function begin(ctx: RequestContext): void {
    const { req, res, state } = ctx;
    const started_ms = timers.monotonicNow();
    const leave = lifecycle.enter();
    state.request_id = readRequestId(req.headers['x-request-id'], random);
    state.source_address = addressOf(req);
    state.is_https = mountOf(req) === undefined && (is_behind_https === true || 'encrypted' in req.socket);
    state.deprecation = deprecation;
    state.route = 'none';
    state.principal = null;
    state.is_known = false;
    res.on('close', () => {
      leave();
      const duration_ms = timers.monotonicNow() - started_ms;
      metrics.request(ctx.method, state.route, statusOf(res), duration_ms);
      request_log.ended(ctx, duration_ms);
    });
  }

  async function answerError(ctx: RequestContext, error: unknown): Promise<void> {
    const { request_id, route } = ctx.state;
    if (error instanceof Overloaded) {
      metrics.requestRefused();
      return send(ctx, render(overloadAnswer(request_id)), lifecycle, timers);
    }
    if (!isExpected(error)) log.error({ request_id, route, err: toLoggedError(error) }, 'request failed');
    const answer = render(errorAnswer(error, request_id));
    await slowDown(ctx, answer.status);
    send(ctx, answer, lifecycle, timers);
  }

  return {
    async middleware(koa_ctx, next) {
      const ctx = koa_ctx as HttpContext;
      const { req, state } = ctx;
      begin(ctx);
      try {
        normalizeTarget(req);
        const mount = mountOf(req);
        if (mount?.is_body_taken) {
          log.error({ request_id: state.request_id }, taken_body_message);
          // What the other reader leaves is not read here, so the connection cannot be used again.
          throw new HttpProblem('internal_error', taken_body_message, { Connection: 'close' });
        }
        if (mount?.is_outside) throw describeMissing(ctx);
        // The server of a host passes on requests after the stop, when nothing may use the database.
        if (mount !== undefined && lifecycle.stopping && mount.is_accepted !== true)
          throw new HttpProblem('unavailable', 'the service is stopping');
        await next();
        // Koa is still to send it.
        if (ctx.respond !== false) {
          await slowDown(ctx, ctx.status);
          if (state.is_turned_away) ctx.set('Connection', 'close');
        }
      } catch (error) {
        await answerError(ctx, error);
      }
    },
    async during(ctx, work) {
      begin(ctx);
      try {
        await work();
      } catch (error) {
        await answerError(ctx, error);
      }
    },
  };
}

/** The page for a browser at an unknown path. It does not repeat the path. */
function notFoundPage(home: string): HtmlPage {
  return {
    status: 404,
    title: 'There is nothing at this address',
    content: `<p>This is a Tallystick server. <a href="${escapeHtml(home)}">Its interface is described here.</a></p>`,
  };
}

function describeMissing(ctx: HttpContext): Error {
  const layers = (ctx as unknown as { readonly matched?: readonly { readonly methods: readonly string[] }[] }).matched;
  const methods = [...new Set((layers ?? []).flatMap((layer) => layer.methods))];
  if (methods.length === 0) return new Refusal('not_found', 'there is nothing at this path');
  const allowed = methods.join(', ');
  return new HttpProblem('method_not_allowed', `this path allows ${allowed}`, { Allow: allowed });
}
