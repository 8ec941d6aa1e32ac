import { IncomingMessage } from 'node:http';
import { render } from '../answer/answer.ts';
import { retry_after_s } from '../answer/error-answer.ts';
import { headersOf, send } from '../answer/send.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { Overloaded } from '../request/admission.ts';
import { readBody } from '../request/body.ts';
import type { HttpContext, PipelinePorts } from '../request/pipeline.ts';
import type { AuthorisationEndpoints } from './ports.ts';

/**
 * Who shares what the service has: third parties at their endpoints, users on their way in and out
 * (`/oauth/authorize`), and users on the pages. A flood of one leaves a share for the others.
 */
function ownerOf(path: string): string {
  if (path === '/oauth/authorize' || path.startsWith('/oauth/authorize/')) return 'authorisation requests';
  return path.startsWith('/oauth/') || path.startsWith('/.well-known/') ? 'tokens' : 'pages of users';
}

/** The headers that its pages set themselves. */
const of_pages: ReadonlySet<string> = new Set(['Content-Security-Policy', 'Referrer-Policy']);

/** The name of its requests in log and metrics. A path may contain an id that is a secret. */
const authorisation_template = '/oauth/*';

/**
 * Returns the function that passes a request on to the authorisation server, within the bounds of
 * the other routes: the number of requests in progress (503), and the length of the body (413). It
 * rejects as a body that cannot be read does.
 */
export function createAuthorisationAnswering(
  ports: Pick<PipelinePorts, 'admission' | 'bodies' | 'metrics'>,
  authorisation: AuthorisationEndpoints,
  lifecycle: Pick<Lifecycle, 'stopping'>,
): (ctx: HttpContext) => Promise<void> {
  return async (ctx) => {
    const { req, res, state } = ctx;
    state.route = authorisation_template;
    const owner = ownerOf(ctx.path);
    const account = ports.bodies.open(owner);
    try {
      if (ports.admission.isFull(owner)) throw new Overloaded();
      const bytes = await readBody(req, res, account);
      ctx.respond = false;
      await ports.admission.during(owner, () => {
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
