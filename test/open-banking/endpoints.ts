import { deposit } from './bank.ts';
import { aisp, cbpii, type World } from './world.ts';

/** An endpoint of service specification 4.5. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As in the service specification. */
  readonly path: string;
  /** The path in the official documents. */
  readonly official: string;
  readonly base: '/open-banking/v3.1/aisp' | '/open-banking/v3.1/cbpii';
  readonly scope: 'accounts' | 'fundsconfirmations';
  readonly grant_type: 'client_credentials' | 'authorization_code';
  readonly success: 200 | 201 | 204;
}

const aisp_base = { base: '/open-banking/v3.1/aisp', scope: 'accounts' } as const;
const cbpii_base = { base: '/open-banking/v3.1/cbpii', scope: 'fundsconfirmations' } as const;

function ofConsents(name: string, place: typeof aisp_base | typeof cbpii_base): readonly Endpoint[] {
  const managed = { ...place, grant_type: 'client_credentials' } as const;
  const one = `/${name}/{ConsentId}`;
  return [
    { ...managed, method: 'POST', path: `/${name}`, official: `/${name}`, success: 201 },
    { ...managed, method: 'GET', path: one, official: one, success: 200 },
    { ...managed, method: 'DELETE', path: one, official: one, success: 204 },
  ];
}

function read(path: string, official = path): Endpoint {
  return { ...aisp_base, grant_type: 'authorization_code', method: 'GET', path, official, success: 200 };
}

/** All 17 endpoints. */
export const endpoints: readonly Endpoint[] = [
  ...ofConsents('account-access-consents', aisp_base),
  read('/accounts'),
  read('/accounts/{AccountId}'),
  read('/accounts/{AccountId}/balances'),
  read('/accounts/{AccountId}/transactions'),
  read('/accounts/{AccountId}/direct-debits'),
  read('/accounts/direct-debits', '/direct-debits'),
  read('/accounts/{AccountId}/standing-orders'),
  read('/accounts/standing-orders', '/standing-orders'),
  read('/accounts/{AccountId}/scheduled-payments'),
  read('/accounts/scheduled-payments', '/scheduled-payments'),
  ...ofConsents('funds-confirmation-consents', cbpii_base),
  {
    ...cbpii_base,
    grant_type: 'authorization_code',
    method: 'POST',
    path: '/funds-confirmations',
    official: '/funds-confirmations',
    success: 201,
  },
];

/** The official bulk paths, as endpoints of their own. */
export const official_bulk_endpoints: readonly Endpoint[] = endpoints
  .filter(({ path, official }) => path !== official)
  .map((endpoint) => ({ ...endpoint, path: endpoint.official }));

/** Every path at which an endpoint answers. */
export function pathsOf({ path, base }: Endpoint): readonly string[] {
  return [path, base + path];
}

/** A request to which the endpoint answers with success. */
export interface GoodRequest {
  readonly token: string;
  readonly consent_id: string;
  /** Puts the ids into a path of the endpoint. */
  fill(path: string): string;
  readonly body?: unknown;
}

/** Makes what the endpoint needs: a consent, and a token. */
export async function goodRequest(
  world: World,
  endpoint: Endpoint,
  permissions: readonly string[],
): Promise<GoodRequest> {
  const { scope, grant_type, method, path } = endpoint;
  const client_id = scope === 'accounts' ? aisp : cbpii;
  const consent_id =
    scope === 'accounts' ? await world.consentFor(client_id, permissions) : await world.fundsConsentFor(client_id);
  const accounts = scope === 'accounts' ? undefined : [deposit];
  const token =
    grant_type === 'authorization_code'
      ? await world.authorise(client_id, consent_id, accounts)
      : world.managementToken(client_id, scope);
  const fill = (template: string): string =>
    template.replace('{ConsentId}', consent_id).replace('{AccountId}', deposit);
  if (method !== 'POST') return { token, consent_id, fill };
  return { token, consent_id, fill, body: bodyOf(path, consent_id, permissions) };
}

function bodyOf(path: string, consent_id: string, permissions: readonly string[]): unknown {
  if (path === '/account-access-consents') return { Data: { Permissions: permissions }, Risk: {} };
  if (path === '/funds-confirmation-consents') {
    return { Data: { DebtorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: 'GB29NWBK60161331926819' } } };
  }
  const InstructedAmount = { Amount: '20.00', Currency: 'USD' };
  return { Data: { ConsentId: consent_id, Reference: 'Purchase 1', InstructedAmount } };
}
