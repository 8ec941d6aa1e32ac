import { Fault } from '@tallystick/kernel';
import { headersOf } from '../answer/send.ts';
import { addressOwner } from '../connection/client-address.ts';
import { noteKnownCaller } from '../connection/connections.ts';
import { mountOf } from '../mounting/mount.ts';
import { isBelow } from '../mounting/prefix.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { Overloaded } from '../request/admission.ts';
import { readBody, sendContinue } from '../request/body.ts';
import type { HttpContext, PipelinePorts } from '../request/pipeline.ts';
import type { Place } from '../request/shares.ts';
import { withBody, withSmallFree } from '../request/whole-body.ts';
import type { ConsoleEndpoint, ConsoleRequest } from './ports.ts';

type ConsolePorts = Pick<
  PipelinePorts,
  'doors' | 'shares' | 'bodies' | 'strangers' | 'rate_limit' | 'rate_limit_per_minute' | 'timers'
> & {
  /** Whether browsers see https although the connection does not: a proxy ends TLS. */
  readonly is_behind_https: boolean;
};

/** The headers that its pages set themselves. */
const of_pages: ReadonlySet<string> = new Set(['Cache-Control', 'Content-Security-Policy', 'Referrer-Policy']);

/** Bodies that pass through as they arrive. */
const files = /^(multipart\/form-data|application\/octet-stream)\b/i;

/** The name of its requests in log and metrics. */
const console_template = '/console/*';

/** Whether a request is one to the console. */
export function isConsolePath({ path }: ConsoleEndpoint, requested: string): boolean {
  return isBelow(requested, path);
}

/**
 * Returns the function that passes a request on to the console, within the bounds of its door: the
 * number of requests in progress and the length of the body. A file passes through as it arrives.
 */
export function createConsoleAnswering(
  ports: ConsolePorts,
  endpoint: ConsoleEndpoint,
  lifecycle: Pick<Lifecycle, 'stopping'>,
): (ctx: HttpContext) => Promise<void> {
  return async (ctx) => {
    const { req, res, state } = ctx;
    state.route = console_template;
    const address = addressOwner(state.source_address);
    const account = withSmallFree(ports.bodies.open(address));
    try {
      const is_file = files.test(req.headers['content-type'] ?? '');
      if (is_file) sendContinue(req, res);
      const request = is_file ? req : withBody(req, await readBody(req, res, account, ports.timers));
      const base = (mountOf(req)?.prefix ?? '') + endpoint.path;
      const below = (req.url ?? '/').slice(endpoint.path.length);
      request.url = below.startsWith('/') ? below : `/${below}`;
      const work = async (place: Place): Promise<void> => {
        ctx.respond = false;
        // Koa begins with 404.
        res.statusCode = 200;
        for (const [name, value] of Object.entries(headersOf(ctx, lifecycle))) {
          if (!of_pages.has(name)) res.setHeader(name, value);
        }
        await endpoint.handle(request, res, factsOf(ports, ctx, base, place));
      };
      await ports.doors.console.run(address, work);
    } finally {
      account.release();
    }
  };
}

function factsOf(ports: ConsolePorts, { req, res, state }: HttpContext, base: string, place: Place): ConsoleRequest {
  const address = addressOwner(state.source_address);
  const is_https = ports.is_behind_https || 'encrypted' in req.socket || mountOf(req)?.protocol === 'https';
  const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      if (!(error instanceof Overloaded)) throw error;
      throw new Fault('no place was free in time', { retryable: true, cause: error });
    });
  const wait = (work: () => Promise<boolean>): Promise<boolean> => inTime(place.outside(work));
  return {
    request_id: state.request_id,
    incoming: req,
    source_address: state.source_address,
    is_https,
    base,
    welcome(visitor) {
      noteKnownCaller(req, `console:${address}`);
      state.is_known = true;
      const { rate_limit, rate_limit_per_minute: per_minute } = ports;
      return per_minute === null ? null : (rate_limit.take([{ id: visitor, per_minute }])?.wait_s ?? null);
    },
    leavePlace: () => place.leave(),
    // A browser that leaves ends its side. Our server keeps the other one for clients that do only that.
    isGone: () => res.closed || req.socket.readableEnded,
    // However many browse, companies and their keys keep connections.
    transaction: (work) => inTime(ports.shares.run('console', work)),
    logIn(attempt, work) {
      const gone = new AbortController();
      if (res.closed) gone.abort();
      res.once('close', () => gone.abort());
      return ports.strangers.logIn(address, attempt, wait, work, gone.signal);
    },
    logInPauseMs: (attempt) => ports.strangers.logInPauseMs(address, attempt),
  };
}
