/**
 * The console as a Hono application. A request passes these steps in order: the files of its look,
 * the log-in, the origin and the token of a form, and its page. Whether a visitor may do what a page
 * does is decided by the operations (`Calls.callAs`).
 */
import { getRequestListener } from '@hono/node-server';
import { Fault, maskCardNumbers, Refusal } from '@tallystick/kernel';
import { Hono } from 'hono';
import { answerAsset } from './assets.ts';
import type { ConsoleApp, ConsoleEnv } from './console-app.ts';
import { isFromOurPage } from './form-token.ts';
import { isAutomatic } from './live/automatic.ts';
import { createLive } from './live/live.ts';
import { html } from './look/html.ts';
import { narrowPage } from './look/layout.ts';
import { accountPages } from './pages/account.ts';
import { approvalPages } from './pages/approvals.ts';
import { auditPages } from './pages/audit.ts';
import { breaksPages } from './pages/breaks.ts';
import { bridgePages } from './pages/bridge.ts';
import { cardPages } from './pages/card.ts';
import { cardLimitPages } from './pages/card-limits.ts';
import { cardsPages } from './pages/cards.ts';
import { companiesPages } from './pages/companies.ts';
import { companySettingsPages } from './pages/company-settings.ts';
import { consentPages } from './pages/consents.ts';
import { decisionPages } from './pages/decision.ts';
import { decisionEndpointPages } from './pages/decision-endpoint.ts';
import { deliveryPages } from './pages/deliveries.ts';
import { eventPages } from './pages/events.ts';
import { homePages } from './pages/home.ts';
import { importPages } from './pages/import.ts';
import { importsPages } from './pages/imports.ts';
import { itemPages } from './pages/item.ts';
import { keyPages } from './pages/keys.ts';
import { livePages } from './pages/live.ts';
import { peoplePages } from './pages/people.ts';
import { periodPages } from './pages/periods.ts';
import { portalPages } from './pages/portal.ts';
import { quarantinePages } from './pages/quarantine.ts';
import { sandboxPages } from './pages/sandbox.ts';
import { searchPages } from './pages/search.ts';
import { thirdPartyPages } from './pages/third-parties.ts';
import { webhookPages } from './pages/webhooks.ts';
import type { Console, ConsolePorts, RequestFacts } from './ports.ts';
import { statusOf } from './problem.ts';
import { Visit } from './visit.ts';

/** Headers of every answer: no other origin, no inline script or style, no frame, no cache. */
const headers = {
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow, noarchive, nosnippet',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** Media types of a body that its page reads: a file, which is not held in memory. */
const files = /^(multipart\/form-data|application\/octet-stream)\b/i;

/** A visit by a portal link. */
const portal_path = /^\/portal(\/|$)/;

/** A page of a portal visit is the page of its company: the visit knows which. */
function pathOfPage(request: Request): string {
  return new URL(request.url).pathname.replace(portal_path, '/companies/portal$1');
}

/** Creates the console. It answers below any path: `RequestFacts.base`. */
export function createConsole(ports: ConsolePorts): Console {
  const app: ConsoleApp = new Hono<ConsoleEnv>({ getPath: pathOfPage });

  const live = createLive(ports);
  app.use(async (c, next) => {
    await next();
    if (c.req.method === 'POST') live.lookSoon();
    for (const [name, value] of Object.entries(headers)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  });
  app.get('/assets/*', (c) => answerAsset(c.req.raw) ?? c.notFound());
  app.use(async (c, next) => {
    const { facts } = c.env;
    const request = c.req.raw;
    const is_form = !['GET', 'HEAD'].includes(request.method);
    if (is_form && !isFromOurPage(request)) {
      return await notice(facts, 403, 'This form comes from elsewhere', 'Go back to the console and try again.');
    }
    const { pathname } = new URL(request.url);
    const portal = portal_path.test(pathname) ? ports.portal : undefined;
    if (portal === undefined && portal_path.test(pathname)) return c.notFound();
    if (portal !== undefined && (pathname === '/portal' || (pathname === '/portal/end' && is_form))) {
      return await portal.answer(request, facts);
    }
    const is_log_in = /^\/log-in(\/|$)/.test(c.req.path);
    if (is_log_in && ports.log_in !== undefined) return await ports.log_in.answer(request, facts);
    const identity = await (portal ?? ports).identify(request, facts);
    if (identity === null) return await (portal?.nobody(facts) ?? askToLogIn(ports, facts, request));
    const wait_s = facts.welcome(identity.actor);
    if (wait_s !== null) {
      const answer = await notice(facts, 429, 'Too many requests', `Try again in ${wait_s} s.`);
      answer.headers.set('Retry-After', String(wait_s));
      return answer;
    }
    if (c.req.path === '/log-out' && is_form && ports.log_in !== undefined) {
      return await ports.log_in.answer(request, facts);
    }
    const visit = new Visit(ports, identity, facts, request);
    if (!visit.isOfCompany()) {
      return await notice(facts, 403, 'That is not possible', 'You have no role for this company.');
    }
    c.set('visit', visit);
    if (is_form && !files.test(request.headers.get('content-type') ?? '')) await visit.form();
    await next();
  });
  companiesPages(app);
  breaksPages(app);
  itemPages(app);
  bridgePages(app);
  periodPages(app);
  approvalPages(app);
  cardsPages(app);
  cardPages(app);
  cardLimitPages(app);
  decisionPages(app);
  webhookPages(app);
  deliveryPages(app);
  decisionEndpointPages(app);
  eventPages(app);
  portalPages(app);
  livePages(app, live);
  sandboxPages(app);
  searchPages(app);
  accountPages(app);
  companySettingsPages(app);
  peoplePages(app);
  keyPages(app);
  auditPages(app);
  consentPages(app);
  thirdPartyPages(app);
  homePages(app);
  importsPages(app);
  importPages(app);
  quarantinePages(app);
  app.notFound((c) => notice(c.env.facts, 404, 'There is nothing at this address', 'Go back, or search.'));
  app.onError(async (error, c) => {
    const { facts } = c.env;
    if (error instanceof Refusal) return await notice(facts, statusOf(error), 'That is not possible', error.message);
    // The visitor is gone, and with it the rest of the file that was being sent.
    if (c.req.raw.signal.aborted) return new Response(null, { status: 400 });
    const is_busy = error instanceof Fault && error.retryable;
    if (!is_busy) ports.log.error({ request_id: facts.request_id, err: error }, 'a page of the console failed');
    return is_busy
      ? await notice(facts, 503, 'The service is busy', 'Try again in a moment.')
      : await notice(facts, 500, 'This page failed', `The error is in the log of the service: ${facts.request_id}`);
  });

  const of_request = new WeakMap<object, RequestFacts>();
  const listener = getRequestListener(
    (request, { incoming }: { readonly incoming: object }) => app.fetch(request, { facts: of_request.get(incoming)! }),
    { overrideGlobalObjects: false },
  );
  return {
    routes: app.routes
      .filter(({ method, path }) => method !== 'ALL' && !path.startsWith('/assets/'))
      .map(({ method, path }) => ({ method, path })),
    async handle(request, response, facts) {
      of_request.set(request, facts);
      await listener(request, response);
    },
    fetch: async (request, facts) => await app.fetch(request, { facts }),
  };
}

/** A page of a few words, for who may not be logged in. */
function notice(facts: RequestFacts, status: number, title: string, text: string): Promise<Response> {
  const content = html`<p>${text}</p><p><a href="${facts.base || '/'}">To the console</a></p>`;
  return narrowPage(facts, status, title, content);
}

async function askToLogIn({ log_in }: ConsolePorts, facts: RequestFacts, request: Request): Promise<Response> {
  if (log_in === undefined)
    return await notice(facts, 403, 'You are not logged in', 'Log in to the application first.');
  // What a page asks by itself must not take the page away.
  if (isAutomatic(request)) return new Response(null, { status: 204 });
  const { pathname, search, searchParams } = new URL(request.url);
  // A search for a card number must not put it into another address.
  const has_number = [...searchParams].flat().some((text) => maskCardNumbers(text) !== text);
  const is_page = request.method === 'GET' && pathname !== '/';
  const back = is_page ? `?back=${encodeURIComponent(has_number ? pathname : pathname + search)}` : '';
  const to = `${facts.base}/log-in${back}`;
  // A part of a page is not replaced by the log-in: the whole page goes there.
  const headers: Record<string, string> = request.headers.has('hx-request') ? { 'HX-Redirect': to } : { Location: to };
  return new Response(null, { status: request.headers.has('hx-request') ? 200 : 303, headers });
}
