import type { AccessToken, GrantedCall } from '@tallystick/consents';
import { OpenBankingRefusal } from '@tallystick/consents';
import { type RenderedAnswer, render } from '../answer/answer.ts';
import { addressOwner } from '../connection/client-address.ts';
import { noteKnownCaller } from '../connection/connections.ts';
import { toLoggedError } from '../operations/log.ts';
import { Overloaded } from '../request/admission.ts';
import { no_bytes, readBody } from '../request/body.ts';
import { parseJson, requireJsonType } from '../request/json.ts';
import type { HttpContext, PipelinePorts } from '../request/pipeline.ts';
import type { Endpoint, EndpointAnswer } from './endpoint.ts';
import { readQuery } from './endpoint.ts';
import { BodylessProblem, errorResponse, invalidToken, isExpectedProblem } from './error-response.ts';
import { checkHeaders, interaction_id_header, interactionIdOf, requireAcceptsJson } from './headers.ts';
import { type AskedAddress, linksOfPage, linksOfResource } from './links.ts';
import type { OpenBankingPorts } from './ports.ts';
import { findRoute } from './routes.ts';

/** Who has a share of the transactions for look-ups of tokens: all callers together. */
const look_up_owner = 'third-party tokens';

/**
 * Returns the function that answers a request to a path of Open Banking. It never rejects. The
 * order of its steps: the path (404), the method (405), the token (401), the rate limit (429), its
 * grant type (401), its scope (403), the headers (400), Accept (406), Content-Type (415), the number
 * of requests in progress (503), the body (413, 400), the query (400), and the work. An
 * unauthenticated caller learns nothing else.
 */
export function createOpenBankingAnswering(
  ports: PipelinePorts,
  open_banking: OpenBankingPorts,
): (ctx: HttpContext) => Promise<RenderedAnswer> {
  return async (ctx) => {
    const { request_id } = ctx.state;
    ctx.state.arrived_ms = ports.timers.monotonicNow();
    const interaction_id = interactionIdOf(ctx.req.headers, ports.random);
    ctx.state.interaction_id = interaction_id;
    let answer: RenderedAnswer;
    try {
      answer = await answerRequest(ports, open_banking, ctx);
    } catch (error) {
      if (error instanceof Overloaded) ports.metrics.requestRefused();
      if (!isExpectedProblem(error)) {
        ports.log.error({ request_id, route: ctx.state.route, err: toLoggedError(error) }, 'request failed');
      }
      answer = errorResponse(error, { request_id, interaction_id });
    }
    return { ...answer, headers: { ...answer.headers, [interaction_id_header]: interaction_id } };
  };
}

async function answerRequest(
  ports: PipelinePorts,
  open_banking: OpenBankingPorts,
  ctx: HttpContext,
): Promise<RenderedAnswer> {
  const { req, state } = ctx;
  const route = findRoute(ctx.path);
  if (route === null) throw new BodylessProblem(404);
  state.route = route.template;
  const endpoint = route.by_method.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
  if (endpoint === undefined) throw new BodylessProblem(405, { Allow: allowedBy(route.by_method) });
  const token = await identify(ports, open_banking, ctx);
  state.third_party = token.client_id;
  state.is_known = true;
  const owner = `third-party:${token.client_id}`;
  noteKnownCaller(req, owner);
  enforceRateLimit(ports, token);
  requireToken(endpoint, token);
  checkHeaders(req.headers);
  requireAcceptsJson(req.headers.accept);
  const takes_body = endpoint.method === 'POST';
  if (takes_body) requireJsonType(req);
  if (ports.doors.third_parties.isFull(owner)) throw new Overloaded();
  const account = takes_body ? ports.bodies.open(owner) : null;
  try {
    const bytes = account === null ? no_bytes : await readBody(req, ctx.res, account, ports.timers);
    return await ports.doors.third_parties.during(owner, async () => {
      const body = takes_body ? parseJson(bytes) : undefined;
      const query = readQuery(ctx.querystring, endpoint.parameters ?? []);
      const answer = await work(ports, open_banking, ctx, endpoint, token, { id: route.id, query, body }, owner);
      const address = { base_url: open_banking.baseUrl(), path: ctx.path, querystring: ctx.querystring };
      return present(answer, address);
    });
  } finally {
    account?.release();
  }
}

function allowedBy(by_method: ReadonlyMap<string, Endpoint>): string {
  return [...by_method.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

/** What the token of the request stands for. Refuses (401) a request without a valid token. */
async function identify(
  { doors, shares, refreshClock }: PipelinePorts,
  { authorisation, certificateOf }: OpenBankingPorts,
  { req, state }: HttpContext,
): Promise<AccessToken> {
  const { authorization } = req.headers;
  if (authorization === undefined) throw new BodylessProblem(401, { 'WWW-Authenticate': 'Bearer' });
  const text = /^Bearer +([A-Za-z0-9\-._~+/]{1,4096}=*)$/i.exec(authorization)?.[1];
  if (text === undefined) throw invalidToken();
  return await doors.tokens.run(addressOwner(state.source_address), async () => {
    await refreshClock?.();
    const sha256 = certificateOf(req)?.sha256 ?? null;
    const token = await shares.run(look_up_owner, () => authorisation.find(text, sha256));
    if (token === null) throw invalidToken();
    return token;
  });
}

/** Refuses (429) a request past the limit of its third party: that of keys without an own one. */
function enforceRateLimit({ rate_limit, rate_limit_per_minute }: PipelinePorts, { client_id }: AccessToken): void {
  if (rate_limit_per_minute === null) return;
  const reached = rate_limit.take([{ id: `third-party:${client_id}`, per_minute: rate_limit_per_minute }]);
  if (reached !== null) throw new BodylessProblem(429, { 'Retry-After': String(reached.wait_s) });
}

/** Refuses a token of another grant type (401), and one without the scope (403). */
function requireToken({ grant_type, scope }: Endpoint, token: AccessToken): void {
  if (token.grant_type !== grant_type) throw invalidToken();
  if (!token.scopes.includes(scope)) {
    const message = `the token does not have the scope ${scope}`;
    throw new OpenBankingRefusal('denied', [{ code: 'Tallystick.Permission.Missing', message }]);
  }
}

/** The work of the endpoint, in one transaction. */
async function work(
  ports: PipelinePorts,
  open_banking: OpenBankingPorts,
  ctx: HttpContext,
  endpoint: Endpoint,
  token: AccessToken,
  asked: Pick<Parameters<Endpoint['work']>[2], 'id' | 'query' | 'body'>,
  owner: string,
): Promise<EndpointAnswer> {
  const { unitOfWork, shares, random, clock } = ports;
  const { client_id } = token;
  const { request_id, source_address } = ctx.state;
  const call = { client_id, request_id, source_address, now_ms: clock.nowMs() };
  const run = endpoint.method === 'GET' ? unitOfWork.read.bind(unitOfWork) : unitOfWork.run.bind(unitOfWork);
  return await shares.run(owner, () =>
    run((tx) => {
      const needed = { bank: open_banking.bank ?? tx.bank, random };
      return endpoint.grant_type === 'client_credentials'
        ? endpoint.work(tx, needed, { ...asked, call })
        : endpoint.work(tx, needed, { ...asked, call: grantedCall(call, token) });
    }),
  );
}

function grantedCall(call: Omit<GrantedCall, 'consent_id' | 'user_id'>, token: AccessToken): GrantedCall {
  const { consent_id, user_id } = token;
  if (consent_id === null || user_id === null) throw invalidToken();
  return { ...call, consent_id, user_id };
}

function present(answer: EndpointAnswer, address: AskedAddress): RenderedAnswer {
  if (answer.kind === 'deleted') return render({ status: 204 });
  if (answer.kind === 'resource') {
    const { status, Data, Risk, created_id } = answer;
    const Links = linksOfResource(address, created_id);
    return render({ status, body: { Data, ...(Risk === undefined ? {} : { Risk }), Links, Meta: {} } });
  }
  const { Data, next, prev, first_available, last_available } = answer.page;
  const Meta = {
    ...(next === null && prev === null ? { TotalPages: 1 } : {}),
    ...(first_available === undefined ? {} : { FirstAvailableDateTime: first_available }),
    ...(last_available === undefined ? {} : { LastAvailableDateTime: last_available }),
  };
  return render({ status: 200, body: { Data, Links: linksOfPage(address, answer.page), Meta } });
}
