import {
  type Authenticator,
  type IdempotencyOwner,
  isKept,
  mayUse,
  type Principal,
  requireRole,
  type SignedParts,
  verifySignature,
} from '@tallystick/access';
import {
  type Clock,
  type HmacSha256,
  invalid,
  type Random,
  Refusal,
  type Sealer,
  type Sha256,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { Context } from 'koa';
import { type RenderedAnswer, render } from '../answer/answer.ts';
import { errorAnswer, HttpProblem, isExpected, overloadAnswer } from '../answer/error-answer.ts';
import { type Log, toLoggedError } from '../operations/log.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { Admission } from './admission.ts';
import { parseJson, readBody, requireJsonType } from './body.ts';
import type { HttpTx } from './http-tx.ts';
import { claimKey, idempotencyKey, keepForReplay } from './idempotency.ts';
import { createFieldCheck, type FieldCheck } from './known-fields.ts';
import { nameCursor, parseQuery, type Query, type QueryRules } from './query.ts';
import type { RateLimit } from './rate-limit.ts';
import { type ApiRequest, ignoresUnknownNames, type Route } from './route.ts';
import { parseShape } from './shape.ts';

/** The state of a request beside Koa's context. */
export interface RequestState {
  request_id: string;
  /** The template of the route, after it was found. */
  route: string;
  principal: Principal | null;
}

export type HttpContext = Context & {
  readonly state: RequestState;
  readonly params?: { readonly id?: string; readonly delivery_id?: string; readonly authorization_id?: string };
};

/** The ports that the pipeline needs. */
export interface PipelinePorts {
  readonly unitOfWork: UnitOfWork<HttpTx>;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly hmacSha256: HmacSha256;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'requestRefused'>;
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly rate_limit: RateLimit;
  /** For keys without a separate limit. Null: no limit. */
  readonly rate_limit_per_minute: number | null;
  /** Timestamps of signatures are compared with machine time. */
  readonly machine_clock: Clock;
  /**
   * Waits until the clock shows the moves of other processes. Absent where no other process moves
   * it.
   */
  readonly refreshClock: (() => Promise<void>) | undefined;
}

/** A request of an authenticated caller. */
interface Arrived {
  readonly ctx: HttpContext;
  readonly principal: Principal;
  readonly query: Query;
  readonly bytes: Buffer;
  readonly now_ms: number;
}

/** A route with the checks that are derived from it once. */
type PreparedRoute = Route & { readonly query: QueryRules; readonly checkFields: FieldCheck };

function prepare(route: Route): PreparedRoute {
  const filter_names = Object.keys(route.filter?.shape ?? {});
  const query = { ...route.query, filter_names, ignores_unknown: ignoresUnknownNames(route) };
  return { ...route, query, checkFields: createFieldCheck(route) };
}

/**
 * Returns the pipeline of a route. The order of its steps is the same for all routes: the number of
 * requests in progress (503), the caller (401), the rate limit (429), the load of the route (503),
 * the body (413), its signature (401), the role (403), the query (400). Then, if the request has an
 * Idempotency-Key, its claim (409, 422, or the first answer again). Then the body's type and shape
 * (415, 400), and the work.
 */
export function createAnswering(ports: PipelinePorts, bare: Route): (ctx: HttpContext) => Promise<RenderedAnswer> {
  const route = prepare(bare);
  return async (ctx) => {
    const { req, state } = ctx;
    state.route = route.path;
    // Before the caller is known, because a look-up of a key is work too.
    if (ports.admission.isFull()) {
      ports.metrics.requestRefused();
      return answerOverload(route, state.request_id);
    }
    const known = ports.authenticator.authenticate(req.headers.authorization);
    const principal = known instanceof Promise ? await known : known;
    state.principal = principal;
    enforceRateLimit(ports, principal);
    if (route.refuseUnread !== undefined && mayUse(principal, route.area) && route.refuseUnread()) {
      return answerOverload(route, state.request_id);
    }
    const bytes = await readBody(req);
    return await ports.admission.during(() => answerRead(ports, route, ctx, principal, bytes));
  };
}

function answerOverload(route: Route, request_id: string): RenderedAnswer {
  return render(route.answerOverload?.(request_id) ?? overloadAnswer(request_id));
}

/** The steps after the body has arrived. */
async function answerRead(
  ports: PipelinePorts,
  route: PreparedRoute,
  ctx: HttpContext,
  principal: Principal,
  bytes: Buffer,
): Promise<RenderedAnswer> {
  const { req } = ctx;
  const signature = {
    timestamp: headerOf(req.headers['x-timestamp']),
    signature: headerOf(req.headers['x-signature']),
  };
  if (principal.signing_secret !== null || signature.signature !== undefined) {
    verifySignature(
      ports.hmacSha256,
      principal,
      signature,
      signedPartsOf(ctx, bytes),
      ports.machine_clock.now().epochMilliseconds,
    );
  }
  requireRole(principal, route.area);
  const query = parseQuery(ctx.path, ctx.querystring, headerOf(req.headers.prefer), route.query);
  if (ports.refreshClock !== undefined) await ports.refreshClock();
  const now_ms = ports.clock.now().epochMilliseconds;
  const arrived: Arrived = { ctx, principal, query, bytes, now_ms };
  const key = route.method === 'POST' ? idempotencyKey(req.headers['idempotency-key']) : null;
  return key === null ? perform(ports, route, arrived, null) : performOnce(ports, route, arrived, key);
}

/**
 * Does the work of a request with an idempotency key. A refusal is an answer and is kept. A failure
 * of the service releases the key.
 */
async function performOnce(
  ports: PipelinePorts,
  route: PreparedRoute,
  arrived: Arrived,
  key: string,
): Promise<RenderedAnswer> {
  const { ctx, principal, bytes, now_ms } = arrived;
  const { request_id } = ctx.state;
  const owner = await claimKey(ports, principal, key, signedPartsOf(ctx, bytes), { request_id, now_ms });
  if ('status' in owner) return owner;
  try {
    const answer = await perform(ports, route, arrived, owner);
    if (!isKept(answer.status)) await releaseKey(ports, request_id, owner);
    return answer;
  } catch (error) {
    if (!isExpected(error)) {
      await releaseKey(ports, request_id, owner);
      throw error;
    }
    const answer = render(errorAnswer(error, request_id));
    await ports.unitOfWork.run((tx) => keepForReplay(tx, ports.sealer, owner, answer));
    return answer;
  }
}

/** Best effort: if this fails, the claim's lease expires. */
async function releaseKey(ports: PipelinePorts, request_id: string, owner: IdempotencyOwner): Promise<void> {
  try {
    await ports.unitOfWork.run((tx) => tx.idempotency.release(owner));
  } catch (error) {
    ports.log.error({ request_id, err: toLoggedError(error) }, 'an idempotency key could not be released');
  }
}

async function perform(
  ports: PipelinePorts,
  route: PreparedRoute,
  { ctx, principal, query, bytes, now_ms }: Arrived,
  owner: IdempotencyOwner | null,
): Promise<RenderedAnswer> {
  const id = parsePathId(ctx.params?.id);
  const delivery_id = parsePathId(ctx.params?.delivery_id);
  const authorization_id = parsePathId(ctx.params?.authorization_id);
  let body: unknown;
  let prefix = '';
  if (route.body !== undefined) {
    requireJsonType(ctx.req);
    const value = parseJson(bytes);
    const bare = route.takes_bare_body === true && !isWrapped(value);
    prefix = bare ? '' : 'data.';
    body = bare
      ? parseShape(route.body, checkBareFields(route.checkFields, value), 'data')
      : parseShape(route.body, route.checkFields(value));
  }
  const { request_id } = ctx.state;
  const request: ApiRequest = { principal, request_id, now_ms, id, delivery_id, authorization_id, query, body };
  try {
    if ('perform' in route) {
      const answer = render(await route.perform(request));
      if (owner !== null && isKept(answer.status)) {
        await ports.unitOfWork.run((tx) => keepForReplay(tx, ports.sealer, owner, answer));
      }
      return answer;
    }
    if (route.method === 'GET' && !route.writes?.(query)) {
      return render(await ports.unitOfWork.read((tx) => route.transaction(tx, request)));
    }
    let committed: (() => void) | undefined;
    const answer = await ports.unitOfWork.run(async (tx) => {
      const result = await route.transaction(tx, request);
      committed = result.committed;
      const rendered = render(result);
      if (owner !== null) await keepForReplay(tx, ports.sealer, owner, rendered);
      return rendered;
    });
    committed?.();
    return answer;
  } catch (error) {
    throw error instanceof Refusal ? nameCursor(prefixPaths(error, prefix)) : error;
  }
}

function enforceRateLimit(ports: PipelinePorts, principal: Principal): void {
  const per_minute = principal.rate_limit_per_minute ?? ports.rate_limit_per_minute;
  if (per_minute === null) return;
  const wait_s = ports.rate_limit.take(principal.key_id, per_minute);
  if (wait_s === 0) return;
  const message = `this key may send ${per_minute} requests a minute; try again in ${wait_s} s`;
  throw new HttpProblem('rate_limited', message, { 'Retry-After': String(wait_s) });
}

/** Returns the request as it was sent: the parts that a signature and an idempotency key cover. */
function signedPartsOf({ req }: HttpContext, body: Buffer): SignedParts {
  const target = req.url ?? '';
  const question = target.indexOf('?');
  return {
    method: req.method ?? '',
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
    body,
  };
}

/** Whether a text is an id as written in a path: digits without leading zeros. */
export function isPathId(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text);
}

/**
 * Returns the id of a path; 0 where the path has none. Other text is refused like an unknown id.
 */
function parsePathId(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!isPathId(text)) throw new Refusal('not_found', 'there is nothing with this id');
  return Number(text);
}

function isWrapped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'data');
}

/** Checks a body that stands for the content of `data`. The problems name its own fields. */
function checkBareFields(checkFields: FieldCheck, value: unknown): unknown {
  try {
    return checkFields({ data: value });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [first, ...others] = error.fields.map(({ path, message }) => ({
      path: path.replace(/^data\.?/, ''),
      message,
    }));
    throw invalid(first!, ...others);
  }
}

/** The domain names fields relative to the resource. The caller wrote them under `data`. */
function prefixPaths(refusal: Refusal, prefix: string): Refusal {
  const [first, ...others] = refusal.fields.map(({ path, message }) => ({ path: prefix + path, message }));
  if (refusal.code !== 'validation_failed' || first === undefined) return refusal;
  const names_first = refusal.message.startsWith(`${refusal.fields[0]?.path} `);
  return names_first ? invalid(first, ...others) : new Refusal(refusal.code, refusal.message, [first, ...others]);
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
