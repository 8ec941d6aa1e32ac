import { randomBytes } from 'node:crypto';
import { type AccessToken, authoriseConsent, type Permission, type ThirdPartyScope } from '@tallystick/consents';
import { Temporal } from '@tallystick/kernel';
import type { HttpAppPorts } from '@tallystick/koa';
import type { DatabaseName } from '@tallystick/test-support';
import { type Service, start, startService } from '../http/service.ts';
import { card, deposit, seedBank, user_id } from './bank.ts';

/** An answer of Open Banking. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  readonly json: any;
}

export interface Sending {
  /** Null: no Authorization. */
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Permissions that allow everything. */
export const all_permissions: readonly Permission[] = [
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
  'ReadDirectDebits',
  'ReadStandingOrdersDetail',
  'ReadScheduledPaymentsDetail',
];

/**
 * The endpoints of Open Banking over real storage and bank data. Tokens are those of this world:
 * the tests of the whole flow use the authorisation server.
 */
export interface World {
  readonly service: Service;
  send(method: string, path: string, sending?: Sending): Promise<Reply>;
  /** A new token that stands for this. */
  tokenOf(token: AccessToken): string;
  /** Ends a token. */
  end(token: string): void;
  /** A client-credentials token. */
  managementToken(client_id: string, scope: ThirdPartyScope): string;
  /** A consent of the third party with these permissions; its ConsentId. */
  consentFor(client_id: string, permissions: readonly string[], more?: object): Promise<string>;
  /** The same for confirmations of funds of the deposit account. */
  fundsConsentFor(client_id: string, debtor?: object): Promise<string>;
  /** Authorises the consent as the user, and returns a token that is bound to it. */
  authorise(client_id: string, consent_id: string, account_numbers?: readonly string[]): Promise<string>;
  /** A token for a new consent with these permissions. */
  grant(permissions: readonly string[], account_numbers?: readonly string[]): Promise<string>;
}

export const aisp = 'aisp-1';
export const other_aisp = 'aisp-2';
export const cbpii = 'cbpii-1';

/** Starts a world with two third parties for account information, and one for funds. */
export async function startWorld(
  t: { after(cleanup: () => unknown): void },
  database_name: DatabaseName = 'sqlite',
  otherwise: (ports: HttpAppPorts) => HttpAppPorts = (ports) => ports,
): Promise<World> {
  const tokens = new Map<string, AccessToken>();
  let url = '';
  const service = await startService(t, database_name, (ports) =>
    otherwise({
      ...ports,
      open_banking: {
        authorisation: {
          find: async (token) => tokens.get(token) ?? null,
          handles: () => false,
          handle: async () => {},
        },
        baseUrl: () => url,
        certificateOf: () => null,
      },
    }),
  );
  url = service.url;
  const { persistence, company_id } = service;
  await seedBank(persistence, company_id, start);
  await persistence.unitOfWork.run(async (tx) => {
    for (const [client_id, scope] of [
      [aisp, 'accounts'],
      [other_aisp, 'accounts'],
      [cbpii, 'fundsconfirmations'],
    ] as const) {
      await tx.third_parties.insert({
        client_id,
        name: client_id,
        scopes: [scope],
        redirect_uris: ['https://third-party.example/callback'],
        jwks: null,
        jwks_uri: null,
        certificate_subject: null,
        id_token_signed_response_alg: 'PS256',
        is_sandbox: true,
        status: 'active',
        created_at_ms: Temporal.Instant.from(start).epochMilliseconds,
      });
    }
  });

  const tokenOf = (token: AccessToken): string => {
    const text = randomBytes(16).toString('base64url');
    tokens.set(text, token);
    return text;
  };
  const send: World['send'] = async (method, path, { token = null, body, headers = {} } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  };
  const managementToken: World['managementToken'] = (client_id, scope) =>
    tokenOf({ client_id, scopes: [scope], grant_type: 'client_credentials', consent_id: null, user_id: null });
  const consentFor: World['consentFor'] = async (client_id, permissions, more = {}) => {
    const body = { Data: { Permissions: permissions, ...more }, Risk: {} };
    const token = managementToken(client_id, 'accounts');
    return created(await send('POST', '/account-access-consents', { token, body }));
  };
  const authorise: World['authorise'] = async (client_id, consent_id, account_numbers = [deposit, card]) => {
    await persistence.unitOfWork.run(async (tx) => {
      const call = {
        actor: `user:${user_id}`,
        request_id: null,
        now_ms: Temporal.Instant.from(start).epochMilliseconds,
      };
      await authoriseConsent(tx, { bank: tx.bank }, call, { consent_id, user_id, account_numbers });
    });
    const scope = client_id === cbpii ? 'fundsconfirmations' : 'accounts';
    return tokenOf({ client_id, scopes: [scope], grant_type: 'authorization_code', consent_id, user_id });
  };
  return {
    service,
    send,
    tokenOf,
    end: (token) => void tokens.delete(token),
    managementToken,
    consentFor,
    async fundsConsentFor(
      client_id,
      debtor = { SchemeName: 'UK.OBIE.IBAN', Identification: 'GB29NWBK60161331926819' },
    ) {
      const token = managementToken(client_id, 'fundsconfirmations');
      const body = { Data: { DebtorAccount: debtor } };
      return created(await send('POST', '/funds-confirmation-consents', { token, body }));
    },
    authorise,
    grant: async (permissions, account_numbers) =>
      await authorise(aisp, await consentFor(aisp, permissions), account_numbers),
  };
}

function created({ status, text, json }: Reply): string {
  if (status !== 201) throw new Error(`${status} ${text}`);
  return json.Data.ConsentId as string;
}
