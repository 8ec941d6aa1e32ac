import {
  type Authenticator,
  type IdempotencyOwner,
  isKept,
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
import { errorAnswer, HttpProblem, isExpected } from '../answer/error-answer.ts';
import { type Log, toLoggedError } from '../operations/log.ts';
import { parseJson, readBody, requireJsonType } from './body.ts';
import type { HttpTx } from './http-tx.ts';
import { claimKey, idempotencyKey, keepForReplay } from './idempotency.ts';
import { parseQuery, type Query } from './query.ts';
import type { RateLimit } from './rate-limit.ts';
import type { ApiRequest, Route } from './route.ts';
import { parseShape } from './shape.ts';

/** What is known of a request beside Koa's own context. */
export interface RequestState {
  request_id: string;
  /** The template of the route, once one is found. */
  route: string;
  principal: Principal | null;
}

export type HttpContext = Context & {
  readonly state: RequestState;
  readonly params?: { readonly id?: string; readonly delivery_id?: string };
};

/** What the way of a request needs. */
export interface PipelinePorts {
  readonly unitOfWork: UnitOfWork<HttpTx>;
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly hmacSha256: HmacSha256;
  readonly clock: Clock;
  readonly log: Log;
  readonly authenticator: Authenticator;
  readonly rate_limit: RateLimit;
  /** For keys without a limit of their own; null: no limit. */
  readonly rate_limit_per_minute: number | null;
  /** Timestamps of signatures are compared with it. */
  readonly machine_clock: Clock;
  /** Waits until the clock shows what other processes made of it; absent where no other moves it. */
  readonly refreshClock: (() => Promise<void>) | undefined;
}

/** A request of a known caller, on its way. */
interface Arrived {
  readonly ctx: HttpContext;
  readonly principal: Principal;
  readonly query: Query;
  readonly bytes: Buffer;
  readonly now_ms: number;
}

/**
 * The way of a request to its route, the same for all: who is it (401), not too often (429), the body (413), its
 * signature (401), may this key do it (403), the query (400); then, if the request bears an Idempotency-Key, the claim of
 * it (409, 422, or the first answer again); then the body's type and shape (415, 400), and the work.
 */
export function createAnswering(ports: PipelinePorts, route: Route): (ctx: HttpContext) => Promise<RenderedAnswer> {
  return async (ctx) => {
    const { req, state } = ctx;
    state.route = route.path;
    const known = ports.authenticator.authenticate(req.headers.authorization);
    const principal = known instanceof Promise ? await known : known;
    state.principal = principal;
    enforceRateLimit(ports, principal);
    const bytes = await readBody(req);
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
    const query = parseQuery(ctx.path, ctx.querystring, headerOf(req.headers.prefer), route.query ?? no_rules);
    if (ports.refreshClock !== undefined) await ports.refreshClock();
    const now_ms = ports.clock.now().epochMilliseconds;
    const arrived: Arrived = { ctx, principal, query, bytes, now_ms };
    const key = route.method === 'POST' ? idempotencyKey(req.headers['idempotency-key']) : null;
    return key === null ? perform(ports, route, arrived, null) : performOnce(ports, route, arrived, key);
  };
}

const no_rules = {};

/** The work under an idempotency key: a refusal is an answer to be kept, a failure of ours gives the key back. */
async function performOnce(ports: PipelinePorts, route: Route, arrived: Arrived, key: string): Promise<RenderedAnswer> {
  const { ctx, principal, bytes, now_ms } = arrived;
  const { request_id } = ctx.state;
  const owner = await claimKey(ports, principal, key, signedPartsOf(ctx, bytes), { request_id, now_ms });
  if ('status' in owner) return owner;
  try {
    const answer = await perform(ports, route, arrived, owner);
    if (!isKept(answer.status)) await giveBack(ports, request_id, owner);
    return answer;
  } catch (error) {
    if (!isExpected(error)) {
      await giveBack(ports, request_id, owner);
      throw error;
    }
    const answer = render(errorAnswer(error, request_id));
    await ports.unitOfWork.run((tx) => keepForReplay(tx, ports.sealer, owner, answer));
    return answer;
  }
}

/** Best effort: when even this fails, the claim's lease runs out. */
async function giveBack(ports: PipelinePorts, request_id: string, owner: IdempotencyOwner): Promise<void> {
  try {
    await ports.unitOfWork.run((tx) => tx.idempotency.release(owner));
  } catch (error) {
    ports.log.error({ request_id, err: toLoggedError(error) }, 'an idempotency key could not be given back');
  }
}

async function perform(
  ports: PipelinePorts,
  route: Route,
  { ctx, principal, query, bytes, now_ms }: Arrived,
  owner: IdempotencyOwner | null,
): Promise<RenderedAnswer> {
  const id = parsePathId(ctx.params?.id);
  const delivery_id = parsePathId(ctx.params?.delivery_id);
  let body: unknown;
  let prefix = '';
  if (route.body !== undefined) {
    requireJsonType(ctx.req);
    const value = parseJson(bytes);
    const bare = route.takes_bare_body === true && !isWrapped(value);
    prefix = bare ? '' : 'data.';
    body = bare ? parseShape(route.body, { data: value }, 'data') : parseShape(route.body, value);
  }
  const request: ApiRequest = { principal, request_id: ctx.state.request_id, now_ms, id, delivery_id, query, body };
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
      const given = await route.transaction(tx, request);
      committed = given.committed;
      const rendered = render(given);
      if (owner !== null) await keepForReplay(tx, ports.sealer, owner, rendered);
      return rendered;
    });
    committed?.();
    return answer;
  } catch (error) {
    throw error instanceof Refusal ? prefixPaths(error, prefix) : error;
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

/** What a signature and an idempotency key stand for: the request as it was sent. */
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

/** Whether a text is an id as it stands in a path: digits without leading zeros. */
export function isPathId(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text);
}

/** The id of a path; 0 where it has none. What is no id names nothing, like one that nobody has. */
function parsePathId(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!isPathId(text)) throw new Refusal('not_found', 'there is nothing with this id');
  return Number(text);
}

function isWrapped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'data');
}

/** The domain names fields from the resource on; the caller wrote them under `data`. */
function prefixPaths(refusal: Refusal, prefix: string): Refusal {
  const [first, ...others] = refusal.fields.map(({ path, message }) => ({ path: prefix + path, message }));
  if (refusal.code !== 'validation_failed' || first === undefined) return refusal;
  const names_first = refusal.message.startsWith(`${refusal.fields[0]?.path} `);
  return names_first ? invalid(first, ...others) : new Refusal(refusal.code, refusal.message, [first, ...others]);
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Puts an answer on the wire. */
export function send(ctx: HttpContext, answer: RenderedAnswer): void {
  const { res } = ctx;
  ctx.status = answer.status;
  for (const name of Object.keys(answer.headers)) res.setHeader(name, answer.headers[name] as string);
  if (answer.text === null) return;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = answer.text;
}
