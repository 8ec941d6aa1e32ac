import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessTokens, RequestBounds } from '@tallystick/consents';
import { boundsOfRequest, TooManyRequests, withinBounds } from './bounds.ts';
import { createPageSending, redirect } from './pages/forms.ts';
import { createLogIn } from './pages/log-in.ts';
import { createLogInAudit } from './pages/log-in-audit.ts';
import { notice } from './pages/notice-page.ts';
import { consents_path, createUserConsents } from './pages/user-consents.ts';
import { createUserStep } from './pages/user-step.ts';
import type { AuthorisationServerPorts } from './ports.ts';
import { createProvider, oauth_routes, step_path } from './protocol/provider.ts';
import { readSigningKeys } from './protocol/signing-keys.ts';
import { isUnavailable, retry_after_s } from './protocol/unavailable.ts';
import { createRecords } from './records.ts';
import { createAccessTokens } from './tokens.ts';

/** The authorisation server, and the pages of the bank's users. */
export interface AuthorisationServer extends AccessTokens {
  /** Whether a path belongs to the server or its pages. */
  handles(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse, bounds: RequestBounds): Promise<void>;
  /** Writes the failed log-ins that no entry has counted: every few minutes, and at the end. */
  writeFailedLogIns(): Promise<void>;
}

/**
 * The paths of the library, as they are written, and their methods. The library itself ignores
 * their case and a slash at the end, which a proxy or a host that guards a path does not.
 */
const library_paths: ReadonlyMap<string, readonly string[]> = new Map([
  ['/.well-known/openid-configuration', ['GET', 'HEAD']],
  ['/.well-known/oauth-authorization-server', ['GET', 'HEAD']],
  [oauth_routes.jwks, ['GET', 'HEAD']],
  [oauth_routes.authorization, ['GET', 'HEAD', 'POST']],
  [oauth_routes.token, ['POST']],
  [oauth_routes.pushed_authorization_request, ['POST']],
  [oauth_routes.revocation, ['POST']],
]);
const resumption = new RegExp(`^${oauth_routes.authorization}/[\\w-]+$`);
const resumption_methods: readonly string[] = ['GET', 'HEAD'];

/** The library takes 20 ms and more for the 2,500 that fit into an address (ADR 0054). */
const parameters_max = 200;

/**
 * Creates the authorisation server. It is set up with the first call, because the issuer is known
 * only once the service listens, and keys are in the database. Throws when a list of keys is empty.
 */
export function createAuthorisationServer(ports: AuthorisationServerPorts): AuthorisationServer {
  if (ports.signing_keys.length === 0 || ports.cookie_keys.length === 0) {
    throw new Error('the authorisation server needs at least one signing key and one cookie key');
  }
  const records = createRecords(ports);
  const sendPage = createPageSending(ports.bank_name);
  const tokens = createAccessTokens(records, ports.sandbox);
  const log_ins = createLogInAudit(ports, records);
  const logIn = createLogIn(ports.users, log_ins);
  let started: ReturnType<typeof compose> | undefined;
  // A path has the id of a user's step, which is a secret.
  const failed = (error: Error, route: string): void => ports.log.error({ error, route }, 'authorisation failed');

  const compose = async () => {
    const provider = createProvider(ports, records, await readSigningKeys(ports, records));
    provider.on('server_error', (ctx, error) => {
      failed(error, ctx.oidc.route);
      if (isUnavailable(error)) ctx.status = 503;
    });
    // Koa reports what its own error handler answers.
    (provider as EventEmitter).on('error', (error: Error) => failed(error, 'unknown'));
    return {
      library: provider.callback(),
      userStep: createUserStep({ ports, records, provider, logIn }),
      userConsents: createUserConsents({ ports, records, logIn }),
    };
  };
  const start = (): ReturnType<typeof compose> => {
    started ??= compose().catch((error) => {
      started = undefined;
      throw error;
    });
    return started;
  };

  return {
    async find(token, certificate_sha256) {
      await ports.refreshClock?.();
      return tokens.find(token, certificate_sha256);
    },

    writeFailedLogIns: log_ins.write,

    handles: (path) =>
      library_paths.has(path) ||
      resumption.test(path) ||
      path.startsWith(`${step_path}/`) ||
      path === consents_path ||
      path.startsWith(`${consents_path}/`),

    async handle(request, response, bounds) {
      await ports.refreshClock?.();
      const [path = ''] = (request.url ?? '').split('?');
      if ((request.url ?? '').split('&', parameters_max + 1).length > parameters_max) {
        return await sendPage(response, notice(400));
      }
      const address = otherAddress(request, path, ports.issuer());
      if (address !== null) return redirect(response, address);
      // Outside the bounds of the first request: all others also wait for it.
      const starting = start();
      await withinBounds(bounds, async () => {
        try {
          const { library, userStep, userConsents } = await starting;
          if (path.startsWith(`${step_path}/`)) await userStep(request, response, path);
          else if (path === consents_path || path.startsWith(`${consents_path}/`)) {
            await userConsents(request, response, path);
          } else {
            const methods = library_paths.get(path) ?? resumption_methods;
            const { method = 'GET', headers } = request;
            const is_preflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
            if (is_preflight || methods.includes(method)) {
              await library(request, response);
            } else await refuseMethod(response, methods);
          }
        } catch (error) {
          const is_past_limit = error instanceof TooManyRequests;
          if (!is_past_limit) failed(error as Error, `/${path.split('/')[1]}`);
          if (response.headersSent) return void response.destroy();
          if (is_past_limit) response.setHeader('Retry-After', error.wait_s);
          else if (isUnavailable(error)) response.setHeader('Retry-After', retry_after_s);
          await sendPage(response, notice(is_past_limit ? 429 : isUnavailable(error) ? 503 : 500));
        }
      });
    },
  };
}

/** The method is looked at before the caller, who therefore waits as a stranger. */
async function refuseMethod(response: ServerResponse, methods: readonly string[]): Promise<void> {
  await boundsOfRequest()?.slowDown();
  const error_description = `the method must be ${methods.join(' or ')}`;
  response.writeHead(405, {
    Allow: methods.join(', '),
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
  });
  response.end(JSON.stringify({ error: 'invalid_request', error_description }));
}

/** A server on loopback has several names, and people type the short one. */
const loopback_names: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The address of a page at the issuer, when a browser asks for it by another name of loopback:
 * cookies and forms belong to one name. Null: the request is at the right one.
 */
function otherAddress({ method, url = '', headers }: IncomingMessage, path: string, issuer: string): string | null {
  const is_page = path === oauth_routes.authorization || path === consents_path || path.startsWith(`${step_path}/`);
  if (method !== 'GET' || !is_page || headers.host === undefined) return null;
  const ours = new URL(issuer);
  const theirs = URL.parse(`${ours.protocol}//${headers.host}`);
  const is_other = theirs !== null && theirs.port === ours.port && theirs.hostname !== ours.hostname;
  const are_loopback = loopback_names.has(ours.hostname) && loopback_names.has(theirs?.hostname ?? '');
  return is_other && are_loopback ? ours.origin + url : null;
}
