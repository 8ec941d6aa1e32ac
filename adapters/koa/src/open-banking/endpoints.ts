import {
  type Consent,
  confirmFunds,
  createAccountAccessConsent,
  createFundsConfirmationConsent,
  deleteConsent,
  presentConsent,
  type ReadOfAccounts,
  readAccounts,
  readBalances,
  readConsent,
  readDirectDebits,
  readScheduledPayments,
  readStandingOrders,
  readTransactions,
  type ThirdPartyScope,
} from '@tallystick/consents';
import type { Endpoint, EndpointAnswer, GrantedEndpoint, ManagementEndpoint } from './endpoint.ts';

const of_reading = { scope: 'accounts', method: 'GET' } as const;

/** Every endpoint of service specification 4.5. */
export const endpoints: readonly Endpoint[] = [
  ...ofConsents('account_access', 'accounts', '/account-access-consents', createAccountAccessConsent),
  granted({
    ...of_reading,
    paths: ['/accounts'],
    parameters: ['page'],
    async work(tx, ports, { call, query }) {
      return { kind: 'page', page: await readAccounts(tx, ports, call, null, query) };
    },
  }),
  granted({
    ...of_reading,
    paths: ['/accounts/:id'],
    async work(tx, ports, { call, id, query }) {
      return { kind: 'page', page: await readAccounts(tx, ports, call, id, query) };
    },
  }),
  granted({
    ...of_reading,
    paths: ['/accounts/:id/balances'],
    async work(tx, ports, { call, id }) {
      return { kind: 'page', page: await readBalances(tx, ports, call, id) };
    },
  }),
  granted({
    ...of_reading,
    paths: ['/accounts/:id/transactions'],
    parameters: ['fromBookingDateTime', 'toBookingDateTime', 'page'],
    async work(tx, ports, { call, id, query }) {
      return { kind: 'page', page: await readTransactions(tx, ports, call, id, query, query) };
    },
  }),
  ...ofOneOrAll('direct-debits', readDirectDebits),
  ...ofOneOrAll('standing-orders', readStandingOrders),
  ...ofOneOrAll('scheduled-payments', readScheduledPayments),
  ...ofConsents(
    'funds_confirmation',
    'fundsconfirmations',
    '/funds-confirmation-consents',
    createFundsConfirmationConsent,
  ),
  granted({
    scope: 'fundsconfirmations',
    method: 'POST',
    paths: ['/funds-confirmations'],
    async work(tx, ports, { call, body }) {
      return { kind: 'resource', status: 201, Data: await confirmFunds(tx, ports, call, body) };
    },
  }),
];

function managed(endpoint: Omit<ManagementEndpoint, 'grant_type'>): Endpoint {
  return { ...endpoint, grant_type: 'client_credentials' };
}

function granted(endpoint: Omit<GrantedEndpoint, 'grant_type'>): Endpoint {
  return { ...endpoint, grant_type: 'authorization_code' };
}

/** Creates, reads and deletes the consents of a kind. */
function ofConsents(
  kind: Consent['kind'],
  scope: ThirdPartyScope,
  path: string,
  create: typeof createAccountAccessConsent | typeof createFundsConfirmationConsent,
): readonly Endpoint[] {
  return [
    managed({
      scope,
      method: 'POST',
      paths: [path],
      async work(tx, ports, { call, body }) {
        return created(await create(tx, ports, call, body));
      },
    }),
    managed({
      scope,
      method: 'GET',
      paths: [`${path}/:id`],
      async work(tx, _ports, { call, id }) {
        return found(await readConsent(tx, call, kind, id));
      },
    }),
    managed({
      scope,
      method: 'DELETE',
      paths: [`${path}/:id`],
      async work(tx, _ports, { call, id }) {
        await deleteConsent(tx, call, kind, id);
        return { kind: 'deleted' };
      },
    }),
  ];
}

/** A list of one account, and of all accounts at the two paths of the decisions. */
function ofOneOrAll(name: string, read: ReadOfAccounts): readonly Endpoint[] {
  const paged = { ...of_reading, parameters: ['page'] } as const;
  return [
    granted({
      ...paged,
      paths: [`/accounts/:id/${name}`],
      async work(tx, ports, { call, id, query }) {
        return { kind: 'page', page: await read(tx, ports, call, id, query) };
      },
    }),
    granted({
      ...paged,
      paths: [`/accounts/${name}`, `/${name}`],
      async work(tx, ports, { call, query }) {
        return { kind: 'page', page: await read(tx, ports, call, null, query) };
      },
    }),
  ];
}

function created(consent: Consent): EndpointAnswer {
  return { ...found(consent), status: 201, created_id: consent.consent_id };
}

function found(consent: Consent) {
  const Data = presentConsent(consent);
  return {
    kind: 'resource',
    status: 200,
    Data,
    ...(consent.kind === 'account_access' ? { Risk: {} } : {}),
  } as const satisfies EndpointAnswer;
}
