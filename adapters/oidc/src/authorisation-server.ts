import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BankData } from '@tallystick/accounts';
import type { AccessTokens, ConsentsTx, UserLogin } from '@tallystick/consents';
import type { Clock, Random, Sealer, Sha256, UnitOfWork } from '@tallystick/kernel';
import { sendPage } from './pages/forms.ts';
import { createBoundedLogin } from './pages/login-attempts.ts';
import { notice } from './pages/notice-page.ts';
import { consents_path, createUserConsents } from './pages/user-consents.ts';
import { createUserStep } from './pages/user-step.ts';
import { createProvider, step_path } from './protocol/provider.ts';
import { createRecords } from './records/records.ts';
import { createAccessTokens } from './tokens.ts';

/** The client certificate of a request, from TLS or from a trusted proxy. */
export interface ClientCertificate {
  /** The base64url SHA-256 of its DER form. */
  readonly sha256: string;
  /** Its subject as an RFC 4514 string. */
  readonly subject: string;
  /** PEM. */
  readonly pem: string;
}

/** The transaction that the server needs. */
export type AuthorisationTx = ConsentsTx & { readonly bank: BankData };

export interface AuthorisationServerPorts {
  readonly unitOfWork: UnitOfWork<AuthorisationTx>;
  /** The bank's data, where a host replaces it; that of the transaction when absent. */
  readonly bank?: BankData;
  /** Service time: the ends of tokens and consents. */
  readonly clock: Clock;
  /** Waits until the clock shows the moves of other processes; absent where none moves it. */
  readonly refreshClock?: (() => Promise<void>) | undefined;
  readonly sealer: Sealer;
  readonly sha256: Sha256;
  readonly random: Random;
  /** The issuer: the public address of the service, without a final slash. Known once it listens. */
  readonly issuer: () => string;
  /** Private P-256 keys as JWK, the newest first. They sign id_tokens and JARM answers. */
  readonly signing_keys: readonly Readonly<Record<string, string>>[];
  /** Secrets that sign cookies, the newest first. */
  readonly cookie_keys: readonly string[];
  readonly users: UserLogin;
  /**
   * The level of authentication that `users` reaches: the `acr` of id_tokens. When absent
   * `urn:openbanking:psd2:ca`, as a password alone is no strong authentication
   * (`urn:openbanking:psd2:sca`).
   */
  readonly acr?: string;
  /** Whether sandbox clients exist: public secrets, and intents in plain `claims`. */
  readonly sandbox: boolean;
  /** The client certificate of a request; null: it has none. */
  readonly certificateOf: (request: IncomingMessage) => ClientCertificate | null;
  /** Fetches the keys of third parties from their `jwks_uri`. */
  readonly fetch?: typeof fetch;
  readonly log: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** The authorisation server, and the pages of the bank's users. */
export interface AuthorisationServer extends AccessTokens {
  /** Whether a path belongs to the server or its pages. */
  handles(path: string): boolean;
  /** Answers a request whose path it handles. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Which paths belong to the server. */
const own_paths = new Set(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']);

/**
 * Creates the authorisation server. It is set up with the first call, because the issuer is known
 * only once the service listens.
 */
export function createAuthorisationServer(ports: AuthorisationServerPorts): AuthorisationServer {
  const records = createRecords(ports);
  const tokens = createAccessTokens(records, ports.sandbox);
  const logIn = createBoundedLogin(records, ports.users);
  let started: ReturnType<typeof start> | undefined;

  const start = () => {
    const provider = createProvider(ports, records, ports.issuer());
    const failed = (error: Error, path: string): void => ports.log.error({ error, path }, 'authorisation failed');
    provider.on('server_error', (ctx, error) => failed(error, ctx.path));
    // Koa reports what its own error handler answers.
    (provider as EventEmitter).on('error', (error: Error) => failed(error, ''));
    return {
      library: provider.callback(),
      userStep: createUserStep({ ports, records, provider, logIn }),
      userConsents: createUserConsents({ ports, records, logIn }),
      failed,
    };
  };

  return {
    async find(token, certificate_sha256) {
      await ports.refreshClock?.();
      return tokens.find(token, certificate_sha256);
    },

    handles: (path) =>
      own_paths.has(path) ||
      path.startsWith('/oauth/') ||
      path.startsWith(`${step_path}/`) ||
      path === consents_path ||
      path.startsWith(`${consents_path}/`),

    async handle(request, response) {
      await ports.refreshClock?.();
      started ??= start();
      const { library, userStep, userConsents, failed } = started;
      const [path = ''] = (request.url ?? '').split('?');
      try {
        if (path.startsWith(`${step_path}/`)) await userStep(request, response, path);
        else if (path === consents_path || path.startsWith(`${consents_path}/`)) {
          await userConsents(request, response, path);
        } else await library(request, response);
      } catch (error) {
        failed(error as Error, path.startsWith(step_path) ? step_path : consents_path);
        if (!response.headersSent) sendPage(response, notice(500));
        else response.destroy();
      }
    },
  };
}

/** The bank's data, as the host or the transaction has it. */
export function bankOf(ports: Pick<AuthorisationServerPorts, 'bank'>, tx: AuthorisationTx): BankData {
  return ports.bank ?? tx.bank;
}
