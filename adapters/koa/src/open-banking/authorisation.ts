import { IncomingMessage } from 'node:http';
import { render } from '../answer/answer.ts';
import { retry_after_s } from '../answer/error-answer.ts';
import { headersOf, send } from '../answer/send.ts';
import { addressOwner } from '../connection/client-address.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { Overloaded } from '../request/admission.ts';
import type { BodyAccount } from '../request/bodies.ts';
import { readBody } from '../request/body.ts';
import type { HttpContext, PipelinePorts } from '../request/pipeline.ts';
import type { AuthorisationEndpoints } from './ports.ts';

/**
 * A body of this length or less takes no memory of other bodies: the server buffers as much of every
 * request. So slow bodies of strangers do not refuse an assertion from the same address.
 */
const small_bytes = 16 * 1024;

/** The headers that its pages set themselves. */
const of_pages: ReadonlySet<string> = new Set(['Content-Security-Policy', 'Referrer-Policy']);

/** The name of its requests in log and metrics. A path may contain an id that is a secret. */
const authorisation_template = '/oauth/*';

/**
 * Returns the function that passes a request on to the authorisation server, within the bounds of
 * its doors: the length of the body (413), and the number of requests in progress (503). It rejects
 * as a body that cannot be read does.
 */
export function createAuthorisationAnswering(
  ports: Pick<PipelinePorts, 'doors' | 'bodies' | 'metrics'>,
  authorisation: AuthorisationEndpoints,
  lifecycle: Pick<Lifecycle, 'stopping'>,
): (ctx: HttpContext) => Promise<void> {
  return async (ctx) => {
    const { req, res, state } = ctx;
    state.route = authorisation_template;
    const address = addressOwner(state.source_address);
    const account = withSmallFree(ports.bodies.open(address));
    try {
      const bytes = await readBody(req, res, account);
      const is_oauth = ctx.path.startsWith('/oauth/') || ctx.path.startsWith('/.well-known/');
      const door = is_oauth ? ports.doors.oauth : ports.doors.user_pages;
      const client_id = is_oauth ? claimedClient(ctx, bytes) : null;
      await door.run(client_id === null ? address : `third-party:${client_id}`, () => {
        ctx.respond = false;
        // Koa begins with 404.
        res.statusCode = 200;
        const headers = headersOf(ctx, lifecycle);
        for (const [name, value] of Object.entries(headers)) if (!of_pages.has(name)) res.setHeader(name, value);
        return authorisation.handle(withBody(req, bytes), res);
      });
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      ports.metrics.requestRefused();
      const headers = { 'Retry-After': String(retry_after_s) };
      const body = { error: 'temporarily_unavailable', error_description: 'the service is overloaded; try again' };
      send(ctx, render({ status: 503, body, headers }), lifecycle);
    } finally {
      account.release();
    }
  };
}

function withSmallFree(account: BodyAccount): BodyAccount {
  let free = small_bytes;
  return {
    ...account,
    take(bytes) {
      const counted = Math.max(0, bytes - free);
      free -= bytes - counted;
      if (counted > 0) account.take(counted);
    },
  };
}

/**
 * Which third party a request says it is from, before anything proves it: that one shares the bound.
 * Null: it does not say.
 */
function claimedClient({ req, querystring }: HttpContext, bytes: Buffer): string | null {
  const basic = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString().split(':')[0] ?? null;
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

/**
 * The same request with its body ready to be read: what reads it never waits for the sender, so a
 * slow sender is not in progress.
 */
function withBody(req: IncomingMessage, bytes: Buffer): IncomingMessage {
  const whole = new IncomingMessage(req.socket);
  whole.httpVersion = req.httpVersion;
  whole.httpVersionMajor = req.httpVersionMajor;
  whole.httpVersionMinor = req.httpVersionMinor;
  if (req.method !== undefined) whole.method = req.method;
  if (req.url !== undefined) whole.url = req.url;
  whole.rawHeaders = req.rawHeaders;
  whole.headers = { ...req.headers };
  whole.complete = true;
  if (bytes.length > 0) whole.push(bytes);
  whole.push(null);
  return whole;
}
