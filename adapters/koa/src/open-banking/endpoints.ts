import {
  type AccountAccessConsent,
  confirmFunds,
  createAccountAccessConsent,
  createFundsConfirmationConsent,
  deleteConsent,
  type FundsConfirmationConsent,
  presentConsent,
  type ReadOfAccounts,
  readAccounts,
  readBalances,
  readConsent,
  readDirectDebits,
  readScheduledPayments,
  readStandingOrders,
  readTransactions,
} from '@tallystick/consents';
import type { Endpoint, EndpointAnswer, GrantedEndpoint, ManagementEndpoint } from './endpoint.ts';

const of_account_consents = { scope: 'accounts' } as const;
const of_funds_consents = { scope: 'fundsconfirmations' } as const;
const of_reading = { scope: 'accounts', method: 'GET' } as const;

const deleted: EndpointAnswer = { kind: 'deleted' };

/** Every endpoint of service specification 4.5. */
export const endpoints: readonly Endpoint[] = [
  managed({
    ...of_account_consents,
    method: 'POST',
    paths: ['/account-access-consents'],
    async work(tx, ports, { call, body }) {
      return created(await createAccountAccessConsent(tx, ports, call, body));
    },
  }),
  managed({
    ...of_account_consents,
    method: 'GET',
    paths: ['/account-access-consents/:id'],
    async work(tx, _ports, { call, id }) {
      return found(await readConsent(tx, call, 'account_access', id));
    },
  }),
  managed({
    ...of_account_consents,
    method: 'DELETE',
    paths: ['/account-access-consents/:id'],
    async work(tx, _ports, { call, id }) {
      await deleteConsent(tx, call, 'account_access', id);
      return deleted;
    },
  }),
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
  managed({
    ...of_funds_consents,
    method: 'POST',
    paths: ['/funds-confirmation-consents'],
    async work(tx, ports, { call, body }) {
      return created(await createFundsConfirmationConsent(tx, ports, call, body));
    },
  }),
  managed({
    ...of_funds_consents,
    method: 'GET',
    paths: ['/funds-confirmation-consents/:id'],
    async work(tx, _ports, { call, id }) {
      return found(await readConsent(tx, call, 'funds_confirmation', id));
    },
  }),
  managed({
    ...of_funds_consents,
    method: 'DELETE',
    paths: ['/funds-confirmation-consents/:id'],
    async work(tx, _ports, { call, id }) {
      await deleteConsent(tx, call, 'funds_confirmation', id);
      return deleted;
    },
  }),
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

function created(consent: AccountAccessConsent | FundsConfirmationConsent): EndpointAnswer {
  return { ...found(consent), status: 201, created_id: consent.consent_id };
}

function found(consent: AccountAccessConsent | FundsConfirmationConsent) {
  const Data = presentConsent(consent);
  return {
    kind: 'resource',
    status: 200,
    Data,
    ...(consent.kind === 'account_access' ? { Risk: {} } : {}),
  } as const satisfies EndpointAnswer;
}
