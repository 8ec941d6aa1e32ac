import type { IncomingHttpHeaders } from 'node:http';
import {
  type Area,
  type Authenticator,
  expectSignature,
  type IdempotencyOwner,
  isKept,
  type Principal,
  requireRole,
  type SignatureHeaders,
  type SignedHead,
  type SignedHeaders,
  type SignedParts,
  verifySignature,
} from '@tallystick/access';
import type { Network } from '@tallystick/cards';
import { type Clock, type GiveWay, giveWayWith, type HmacSha256, type UnitOfWork } from '@tallystick/kernel';
import {
  checkBody,
  type FileOperation,
  ignoresUnknownNames,
  nameFields,
  type OperationCall,
  type OperationTx,
  readParameters,
  runTransaction,
} from '@tallystick/operations';
import type { Context } from 'koa';
import { type RenderedAnswer, render } from '../answer/answer.ts';
import type { DeprecationHeaders } from '../answer/deprecation.ts';
import { errorAnswer, isExpected } from '../answer/error-answer.ts';
import { answerOf } from '../answer/operation-answer.ts';
import type { ClientAddress } from '../connection/client-address.ts';
import { noteKnownCaller } from '../connection/connections.ts';
import type { Route, RoutePorts } from '../join-endpoints.ts';
import { mountOf } from '../mounting/mount.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { Bodies, BodyAccount } from './bodies.ts';
import { no_bytes, readBody } from './body.ts';
import type { Doors } from './doors.ts';
import {
  actorOf,
  claimKey,
  idempotencyKey,
  inTimeFor,
  keepForReplay,
  keepPerformed,
  releaseKey,
} from './idempotency.ts';
import { parseJson, requireJsonType, requireMediaType, requireUncompressed } from './json.ts';
import { answerFullDoor, answerOverload, answerShed } from './overload.ts';
import { type HttpQuery, http_names, parseQuery } from './query.ts';
import { enforceRateLimit, type RateLimitPorts } from './rate-limit.ts';
import type { Shares } from './shares.ts';
import type { Strangers } from './strangers.ts';
import { receiveUpload } from './upload.ts';
import type { UploadPlace, Uploads } from './uploads.ts';

/** The state of a request beside Koa's context. */
export interface RequestState {
  /** When the route received the request; milliseconds of `monotonicNow`. */
  arrived_ms: number;
  request_id: string;
  /** The address from which the request was sent; null in process and over the Fetch standard. */
  source_address: ClientAddress | null;
  /** Whether its answer goes to the client over https, from a server of ours. */
  is_https: boolean;
  /** The headers of virtual cards; null: the interface is not announced as deprecated. */
  deprecation: DeprecationHeaders | null;
  /** The template of the route, after it was found. */
  route: string;
  principal: Principal | null;
  /** Whether the caller has proved who it is. Its failures are not slowed. */
  is_known: boolean;
  /** Its connection is closed with the answer: too many answers to strangers wait. */
  is_turned_away?: boolean;
  /** The client id of the third party, once its token is known. */
  third_party?: string;
  /** How many lines were answered with each status, of a request of many messages. */
  lines?: Record<number, number>;
  /** Of a request to Open Banking. */
  interaction_id?: string;
}

/** The parts of Koa's context that answer a request of the API. Some requests have only these. */
export interface RequestContext extends Pick<Context, 'req' | 'res' | 'method' | 'path' | 'querystring'> {
  readonly state: RequestState;
  /** False: Koa sends nothing. */
  respond?: boolean | undefined;
  readonly params?: {
    readonly id?: string;
    readonly delivery_id?: string;
    readonly authorization_id?: string;
    readonly number?: string;
  } & Readonly<Record<string, string | undefined>>;
}

export type HttpContext = Context & RequestContext;

export interface PipelinePorts
  extends RateLimitPorts,
    Pick<RoutePorts, 'unitOfWork' | 'sealer' | 'random' | 'sha256' | 'clock' | 'timers' | 'log'> {
  /** In place of `unitOfWork` for network messages: no other request can use it up. */
  readonly look_ups: UnitOfWork<OperationTx>;
  readonly hmacSha256: HmacSha256;
  readonly metrics: Pick<Metrics, 'requestRefused' | 'undecided'>;
  readonly network: Pick<Network, 'refuseUnread' | 'isOverloaded' | 'hurry'>;
  readonly authenticator: Authenticator;
  readonly doors: Doors;
  readonly bodies: Bodies;
  readonly shares: Shares;
  readonly strangers: Strangers;
  readonly uploads: Uploads;
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
  readonly ctx: RequestContext;
  readonly principal: Principal;
  readonly query: HttpQuery;
  readonly bytes: Buffer;
  readonly now_ms: number;
}

/**
 * Returns the pipeline of a route. The order of its steps is the same for all routes: the caller
 * (401), the rate limits (429), the role (403), the load of the route (503), the share of the company
 * in the requests in progress (503), the body (413, 503), its signature (401), the query (400).
 * Then, if the request has an Idempotency-Key, its claim (409, 422, or the first answer again). Then
 * the body's type and shape (415, 400), and the work. Nothing of a body is kept before the caller is
 * known, and a body that nothing needs is dropped. An upload has bounds of its own in place of the
 * share and the body, and its signature is verified at its end.
 */
export function createAnswering(shared: PipelinePorts, route: Route): (ctx: RequestContext) => Promise<RenderedAnswer> {
  const { operation } = route;
  const { area } = operation;
  const ports = area === 'network_messages' ? { ...shared, unitOfWork: shared.look_ups } : shared;
  const giveWay = giveWayWith(ports.timers);
  const prepared: PreparedRoute = { route, giveWay, empty_query: parseQuery(route.path, '', undefined, {}) };

  return async (ctx) => {
    const { req, state } = ctx;
    state.route = route.path;
    state.arrived_ms = ports.timers.monotonicNow();
    let account: BodyAccount | null = null;
    try {
      const known = ports.authenticator.authenticate(req.headers.authorization);
      const principal = known instanceof Promise ? await known : known;
      const owner = admitCaller(ports, ctx, principal, area);
      if (route.sheds_load !== undefined && ports.network.refuseUnread())
        return answerOverload(ports, route, state.request_id);
      if ('receive' in operation) {
        return await ports.uploads.during(principal.role, owner, (place) =>
          answerUpload(ports, route, operation, ctx, principal, place),
        );
      }
      // Decisions have connections and places of their own. Nothing is thrown: under overload most
      // requests end here.
      const is_message = area === 'network_messages';
      const door = is_message ? ports.doors.decisions : ports.doors.keys;
      const sharing = is_message ? null : owner;
      if (door.isFull(sharing)) return answerFullDoor(ports, route, state.request_id);
      if (needsBody(route, principal, req.headers)) account = ports.bodies.open(owner);
      const body = account === null ? no_bytes : readBody(req, ctx.res, account, ports.timers);
      const bytes = body instanceof Promise ? await body : body;
      door.enter(sharing);
      try {
        return await answerRead(ports, prepared, ctx, principal, bytes);
      } finally {
        door.leave(sharing);
      }
    } catch (error) {
      const shed = answerShed(ports, route, state.request_id, error);
      if (shed === null) throw error;
      return shed;
    } finally {
      account?.release();
    }
  };
}

/** A route with what is derived from it once. */
interface PreparedRoute {
  readonly route: Route;
  readonly giveWay: GiveWay;
  /** The query of a request without one. */
  readonly empty_query: HttpQuery;
}

/**
 * Notes the caller of a request, and refuses it past its rate limits and without the role. Returns
 * who shares places with others.
 */
export function admitCaller(
  ports: RateLimitPorts,
  { req, state }: RequestContext,
  principal: Principal,
  area: Area,
): string {
  const owner = ownerOf(principal);
  state.principal = principal;
  state.is_known = true;
  noteKnownCaller(req, owner);
  enforceRateLimit(ports, principal);
  requireRole(principal, area);
  return owner;
}

/** Who shares what the service has with others: the company, or a key without one. */
export function ownerOf({ company_id, key_id }: Principal): string {
  return company_id === null ? `key:${key_id}` : `company:${company_id}`;
}

/** Whether the route, a signature or an idempotency key covers the body. */
function needsBody(route: Route, principal: Principal, headers: IncomingHttpHeaders): boolean {
  return (
    route.operation.body !== undefined ||
    principal.signing_secret !== null ||
    headers['x-signature'] !== undefined ||
    (route.method === 'POST' && headers['idempotency-key'] !== undefined)
  );
}

/** The steps after the body has arrived. */
async function answerRead(
  ports: PipelinePorts,
  prepared: PreparedRoute,
  ctx: RequestContext,
  principal: Principal,
  bytes: Buffer,
): Promise<RenderedAnswer> {
  const { req } = ctx;
  const { route, giveWay } = prepared;
  if (principal.signing_secret !== null || req.headers['x-signature'] !== undefined) {
    verifySignature(
      ports.hmacSha256,
      principal,
      signatureOf(req.headers),
      signedPartsOf(ctx, bytes),
      signedHeadersOf(req.headers),
      ports.machine_clock.nowMs(),
    );
    await giveWay();
  }
  const has_query = ctx.querystring !== '' || req.headers.prefer !== undefined || mountOf(req) !== undefined;
  const query = has_query || ctx.path !== route.path ? queryOf(ctx, route) : prepared.empty_query;
  if (ports.refreshClock !== undefined) await ports.refreshClock();
  const now_ms = ports.clock.nowMs();
  const arrived: Arrived = { ctx, principal, query, bytes, now_ms };
  const key = route.method === 'POST' ? idempotencyKey(req.headers['idempotency-key']) : null;
  return key === null
    ? await perform(ports, prepared, arrived, null)
    : await performOnce(ports, prepared, arrived, key);
}

/**
 * Does the work of a request with an idempotency key. A refusal is an answer and is kept. A failure
 * of the service releases the key.
 */
async function performOnce(
  ports: PipelinePorts,
  prepared: PreparedRoute,
  arrived: Arrived,
  key: string,
): Promise<RenderedAnswer> {
  const { route } = prepared;
  const { ctx, principal, bytes, now_ms } = arrived;
  const { request_id, source_address } = ctx.state;
  const owner = await claimKey(ports, principal, key, signedPartsOf(ctx, bytes), {
    request_id,
    source_address,
    now_ms,
  });
  if ('status' in owner) return owner;
  try {
    const answer = await perform(ports, prepared, arrived, owner);
    if (!isKept(answer.status)) await inTimeFor(ports.timers, route.operation, releaseKey(ports, request_id, owner));
    return answer;
  } catch (error) {
    if (!isExpected(error)) {
      await inTimeFor(ports.timers, route.operation, releaseKey(ports, request_id, owner));
      throw error;
    }
    const answer = render(errorAnswer(error, request_id));
    await inTimeFor(ports.timers, route.operation, keepPerformed(ports, request_id, owner, answer));
    return answer;
  }
}

async function perform(
  ports: PipelinePorts,
  { route, giveWay }: PreparedRoute,
  { ctx, principal, query, bytes, now_ms }: Arrived,
  owner: IdempotencyOwner | null,
): Promise<RenderedAnswer> {
  const { operation } = route;
  const { request_id } = ctx.state;
  const bodyless = bodylessCall(ctx, principal, query, now_ms);
  const value = readValue(ctx, route, bytes);
  const after_parsing = giveWay();
  if (after_parsing !== undefined) await after_parsing;
  const { body, prefix } = checkValue(route, value);
  const after_check = giveWay();
  if (after_check !== undefined) await after_check;
  const call: OperationCall = { ...bodyless, body };
  const share = <Result>(work: () => Promise<Result>) => ports.shares.run(ownerOf(principal), work);
  try {
    if ('receive' in operation) throw new TypeError('an upload is received as it arrives');
    if ('perform' in operation) {
      const shown = answerOf(route, call, query, await operation.perform(call));
      const answer = render(shown instanceof Promise ? await shown : shown);
      if (owner !== null && isKept(answer.status)) {
        await inTimeFor(ports.timers, operation, keepPerformed(ports, request_id, owner, answer));
      }
      return answer;
    }
    if ('read' in operation && operation.before !== undefined) await share(async () => await operation.before?.(call));
    const only_reads = 'read' in operation;
    const answer = await share(() =>
      runTransaction(operation, call, ports.unitOfWork, async (tx, work) => {
        const rendered = render(await answerOf(route, call, query, await work()));
        if (owner !== null && !only_reads) await keepForReplay(tx, ports.sealer, owner, rendered);
        return rendered;
      }),
    );
    if (owner !== null && only_reads) await keepPerformed(ports, request_id, owner, answer);
    return answer;
  } catch (error) {
    throw nameFields(error, prefix, http_names);
  }
}

/**
 * The call of an operation, to which its body is added. Refuses `not_found` names in the path that
 * none can have.
 */
export function bodylessCall(
  { params = {}, state }: RequestContext,
  principal: Principal,
  query: HttpQuery,
  now_ms: number,
): Omit<OperationCall, 'body'> {
  const { request_id, source_address, arrived_ms } = state;
  return {
    ...readParameters(params),
    caller: principal,
    actor: actorOf(principal),
    request_id,
    source_address,
    now_ms,
    arrived_ms,
    query,
    linkTo: query.linkTo,
  };
}

function isWrapped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'data');
}

/** The JSON value of the body; undefined where the operation takes none. */
function readValue({ req }: RequestContext, { operation }: Route, bytes: Buffer): unknown {
  if (operation.body === undefined) return undefined;
  if (bytes.length === 0 && operation.data_is_optional) return { data: {} };
  requireJsonType(req);
  return parseJson(bytes);
}

/** The body in shape, and what the caller wrote before the fields of the resource. */
function checkValue(
  { operation, is_bare }: Route,
  value: unknown,
): { readonly body: unknown; readonly prefix: string } {
  if (operation.body === undefined) return { body: undefined, prefix: '' };
  const is_wrapped = !is_bare || isWrapped(value);
  if (is_wrapped) return { body: checkBody(operation, value), prefix: 'data.' };
  return { body: checkBody(operation, { data: value }, 'body'), prefix: '' };
}

/** The work of an upload. Its body is received while the work takes its bytes. */
async function answerUpload(
  ports: PipelinePorts,
  route: Route,
  operation: FileOperation,
  ctx: RequestContext,
  principal: Principal,
  { toWait, keepFor }: UploadPlace,
): Promise<RenderedAnswer> {
  const { req, res } = ctx;
  if (route.takes_only_uploads) requireMediaType(req, route.uploads ?? []);
  requireUncompressed(req);
  const signature = expectSignature(
    principal,
    signatureOf(req.headers),
    signedHeadOf(ctx),
    signedHeadersOf(req.headers),
    ports.machine_clock.nowMs(),
  );
  const query = queryOf(ctx, route);
  if (ports.refreshClock !== undefined) await ports.refreshClock();
  const call = { ...bodylessCall(ctx, principal, query, ports.clock.nowMs()), body: undefined };
  const { file_bytes_max: bytes_max = Number.POSITIVE_INFINITY } = operation;
  const body = receiveUpload(req, res, { signature, toWait, bytes_max, timers: ports.timers });
  const result = await operation.receive(call, body, { prefers_early: query.prefers_async, keepFor });
  return render(await answerOf(route, call, query, result));
}

/** Links begin as the client's path did: a host may have mounted the interface below a path. */
export function queryOf({ req, path, querystring }: RequestContext, { operation }: Route): HttpQuery {
  const prefix = mountOf(req)?.prefix ?? '';
  const ignores_unknown = ignoresUnknownNames(operation);
  return parseQuery(path, querystring, headerOf(req.headers.prefer), operation.query ?? {}, {
    prefix,
    ignores_unknown,
  });
}

/** Returns the request as it was sent: the parts that a signature and an idempotency key cover. */
function signedPartsOf(ctx: RequestContext, body: Buffer): SignedParts {
  return { ...signedHeadOf(ctx), body };
}

function signedHeadOf({ req }: RequestContext): SignedHead {
  const target = mountOf(req)?.target ?? req.url ?? '';
  const question = target.indexOf('?');
  return {
    method: req.method ?? '',
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
  };
}

function signatureOf(headers: IncomingHttpHeaders): SignatureHeaders {
  return {
    timestamp: headerOf(headers['x-timestamp']),
    signature: headerOf(headers['x-signature']),
    version: headerOf(headers['x-signature-version']),
  };
}

function signedHeadersOf(headers: IncomingHttpHeaders): SignedHeaders {
  return {
    content_type: headers['content-type'] ?? '',
    idempotency_key: headerOf(headers['idempotency-key']) ?? '',
  };
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
