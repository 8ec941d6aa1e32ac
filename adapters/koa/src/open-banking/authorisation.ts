import { isClientId, type RequestBounds } from '@tallystick/consents';
import { Fault, type Timers } from '@tallystick/kernel';
import { render } from '../answer/answer.ts';
import { retry_after_s } from '../answer/error-answer.ts';
import { headersOf, send } from '../answer/send.ts';
import { addressOwner } from '../connection/client-address.ts';
import { noteKnownCaller } from '../connection/connections.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { Overloaded } from '../request/admission.ts';
import type { BodyAccount } from '../request/bodies.ts';
import { readBody } from '../request/body.ts';
import type { HttpContext, PipelinePorts } from '../request/pipeline.ts';
import type { Limit } from '../request/rate-limit.ts';
import type { Place } from '../request/shares.ts';
import { withBody, withSmallFree } from '../request/whole-body.ts';
import type { AuthorisationEndpoints } from './ports.ts';

/** The headers that its pages set themselves. */
const of_pages: ReadonlySet<string> = new Set(['Content-Security-Policy', 'Referrer-Policy']);

/** The name of its requests in log and metrics. A path may contain an id that is a secret. */
const authorisation_template = '/oauth/*';

type AuthorisationPorts = Pick<
  PipelinePorts,
  'doors' | 'bodies' | 'metrics' | 'shares' | 'strangers' | 'rate_limit' | 'rate_limit_per_minute' | 'timers'
>;

/**
 * Returns the function that passes a request on to the authorisation server, within the bounds of
 * its doors: the length of the body (413), the rate limit of the third party (429), and the number
 * of requests in progress (503). It rejects as a body that cannot be read does.
 */
export function createAuthorisationAnswering(
  ports: AuthorisationPorts,
  authorisation: AuthorisationEndpoints,
  lifecycle: Pick<Lifecycle, 'stopping'>,
): (ctx: HttpContext) => Promise<void> {
  return async (ctx) => {
    const { res, state } = ctx;
    state.route = authorisation_template;
    const address = addressOwner(state.source_address);
    const account = withSmallFree(ports.bodies.open(address));
    const refuse = (status: 429 | 503, wait_s: number, error_description: string): void => {
      const body = { error: 'temporarily_unavailable', error_description };
      send(ctx, render({ status, body, headers: { 'Retry-After': String(wait_s) } }), lifecycle, ports.timers);
    };
    try {
      const is_oauth = ctx.path.startsWith('/oauth/') || ctx.path.startsWith('/.well-known/');
      const door = is_oauth ? 'oauth' : 'user_pages';
      const { whole, claimed } = await readWhole(ctx, account, ports.timers);
      const client_id = is_oauth ? claimed : null;
      // The library and this process then keep nothing of the body. A page may keep its form.
      const forgetBody = (): void => {
        if (!is_oauth) return;
        whole.read();
        account.release();
      };
      // Only requests that authenticate as the third party use its limit up (`identify`).
      const limits = client_id === null || isOfUser(ctx) ? [] : limitsOf(ports, `third-party:${client_id}`);
      const reached = ports.rate_limit.reached(limits);
      if (reached !== null) {
        const { limit, wait_s } = reached;
        const message = `this third party may send ${limit.per_minute} requests a minute; try again in ${wait_s} s`;
        return refuse(429, wait_s, message);
      }
      const owner = client_id === null ? address : `third-party:${client_id}`;
      const work = (place: Place): Promise<void> => {
        ctx.respond = false;
        // Koa begins with 404.
        res.statusCode = 200;
        const headers = headersOf(ctx, lifecycle);
        for (const [name, value] of Object.entries(headers)) if (!of_pages.has(name)) res.setHeader(name, value);
        return authorisation.handle(whole, res, boundsOf(ports, ctx, door, place, forgetBody));
      };
      await ports.doors[door].run(owner, work, address);
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      ports.metrics.requestRefused();
      refuse(503, retry_after_s, 'the service is overloaded; try again');
    } finally {
      account.release();
    }
  };
}

/** A user is on the way from a third party, or back to it. */
function isOfUser({ path }: HttpContext): boolean {
  return path === '/oauth/authorize' || path.startsWith('/oauth/authorize/');
}

function limitsOf({ rate_limit_per_minute }: AuthorisationPorts, id: string): readonly Limit[] {
  return rate_limit_per_minute === null ? [] : [{ id, per_minute: rate_limit_per_minute }];
}

/** What bounds the request within the authorisation server. */
function boundsOf(
  ports: AuthorisationPorts,
  { req, res, state }: HttpContext,
  door: 'oauth' | 'user_pages',
  place: Place,
  forgetBody: () => void,
): RequestBounds {
  const address = addressOwner(state.source_address);
  const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      if (!(error instanceof Overloaded)) throw error;
      throw new Fault('no place was free in time', { retryable: true, cause: error });
    });
  const wait = (work: () => Promise<boolean>): Promise<boolean> => inTime(place.outside(work));
  const { request_id, source_address } = state;
  return {
    origin: { request_id, source_address },
    transaction: (work) => inTime(ports.shares.run(door, work)),
    identify(caller) {
      const owner = 'user' in caller ? `user:${caller.user}` : `third-party:${caller.third_party}`;
      noteKnownCaller(req, owner);
      state.is_known = true;
      if ('third_party' in caller) state.third_party = caller.third_party;
      return ports.rate_limit.take(limitsOf(ports, owner))?.wait_s ?? null;
    },
    async slowDown() {
      if (state.is_known) return;
      forgetBody();
      place.leave();
      if (!(await ports.strangers.slowDown(address))) res.setHeader('Connection', 'close');
    },
    logIn(attempt, work) {
      const gone = new AbortController();
      if (res.closed) gone.abort();
      res.once('close', () => gone.abort());
      return ports.strangers.logIn(address, attempt, wait, work, gone.signal);
    },
    logInPauseMs: (attempt) => ports.strangers.logInPauseMs(address, attempt),
  };
}

/** Forms of third parties are shorter. To parse a longer one would hold up all others. */
const claim_bytes_max = 16 * 1024;

/** The whole request, and which third party it says it is from. Null: it does not say. */
async function readWhole(ctx: HttpContext, account: BodyAccount, timers: Timers) {
  const bytes = await readBody(ctx.req, ctx.res, account, timers);
  const claimed = claimOf(ctx, bytes);
  return { whole: withBody(ctx.req, bytes), claimed: claimed !== null && isClientId(claimed) ? claimed : null };
}

/** Nothing proves it yet. */
function claimOf({ req, querystring }: HttpContext, bytes: Buffer): string | null {
  const basic = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString().split(':')[0] ?? null;
  if (bytes.length > claim_bytes_max) return null;
  const sent = new URLSearchParams(bytes.length === 0 ? querystring : bytes.toString('latin1'));
  const payload = sent.get('client_assertion')?.split('.')[1];
  if (payload === undefined) return sent.get('client_id');
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly sub?: unknown };
    return typeof sub === 'string' ? sub : null;
  } catch {
    return null;
  }
}
