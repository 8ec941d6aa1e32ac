import { rolesOf } from '@tallystick/access';
import { createOperations, forgetting, type HttpAppPorts, readRequestId, takesKey } from '@tallystick/koa';
import { type Calls, createCalls, type HostCall, type Operation } from '@tallystick/operations';
import { authorization } from './service.ts';

export type Role = HostCall['role'];

/** A request, and the call that asks for the same. */
export interface Wanted extends Pick<HostCall, 'role' | 'data' | 'file' | 'parameters'> {
  readonly query?: Readonly<Record<string, unknown>>;
  /** Members of the body beside `data`. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The calls of the operations of a service. */
export function callsOf(ports: HttpAppPorts): Calls {
  const { unitOfWork, clock, authenticator, random } = ports;
  const operations = createOperations({ ...ports, ...forgetting(authenticator) });
  const requestIdOf = (asked?: string) => readRequestId(asked, random);
  return createCalls(operations, {
    unitOfWork,
    clock,
    refreshClock: undefined,
    requestIdOf,
    once: { ...ports, machine_clock: ports.timers, takesKey },
  });
}

/** A call of the operation that does something, where there is one. */
export function usefulCall({ id, parameters = [], area, body }: Operation): Wanted {
  return {
    role: rolesOf(area)[0]!,
    parameters: Object.fromEntries(parameters.map((name) => [name, name === 'number' ? '1000000001' : 1])),
    ...(body === undefined ? {} : { data: {} }),
    ...useful[id],
  };
}

const note = { data: { note: 'checked' } };
const cleared = {
  vcn_id: 1,
  network_financial_transaction_id: 'NFT1',
  billing_amount: 2_400,
  billing_currency: 'USD',
  clearing_type: 'DEBIT',
  settlement_date: '2030-03-15',
};
const third_party = { name: 'Shop', scopes: ['accounts'], redirect_uris: ['https://shop.example/back'] };

/** Calls that do something. Other operations are called without data, and with the id 1. */
const useful: Readonly<Record<string, Partial<Wanted>>> = {
  'network.authorizations.decide': authorization('5454545400000000', { trace_id: 'TRACE1' }),
  'network.clearings.record': { data: cleared },
  'virtualCards.create': {
    data: { total_card_amount: 10_000, metadata: { trip: 'Oslo' }, emails: ['a@example.com'] },
    options: { show_card_number: false },
  },
  'virtualCards.list': { query: { filter: { status: 'Approved' }, page: { limit: 2 }, show_realtime_auths: true } },
  'virtualCards.read': { query: { show_card_number: true } },
  'virtualCards.update': { data: { total_card_amount: 20_000 } },
  'virtualCards.cancel': { parameters: { id: 2 } },
  'virtualCards.email': { data: { email: 'b@example.com' } },
  'virtualCards.authorizations.release': {
    data: { note: 'will not come' },
    parameters: { id: 1, authorization_id: 2 },
  },
  'virtualCards.decisions.read': { parameters: { id: 1, authorization_id: 1 } },
  'virtualCards.decisions.try': { data: { amount: 2_500, mcc: '5812' } },
  'purchaseTemplates.request': {
    data: { name: 'travel', mcc_list: ['4511'], mcc_rule: 'ALLOW', description: 'd', required_control: 'VELOCITY' },
  },
  'webhooks.create': { data: { callback_url: 'https://127.0.0.1/hook', event_type_ids: [3] } },
  'webhooks.update': { data: { status: 'inactive' } },
  'webhooks.delete': { parameters: { id: 2 } },
  'webhooks.deliveries.recover': { data: { since: '2030-03-15T00:00:00Z' } },
  'clearings.list': { query: { filter: { id: 1 } } },
  'reconciliation.bridge': { query: { filter: { account_id: '1000000001' } } },
  'reconciliation.items.match': { data: { note: 'mine', with: { clearing_ids: [1] } } },
  'reconciliation.items.unmatch': note,
  'reconciliation.items.ignore': note,
  'reconciliation.items.accept': note,
  'reconciliation.items.confirm': note,
  'reconciliation.items.reopen': note,
  'reconciliation.approvals.refuse': note,
  'reconciliation.items.comment': { data: { text: 'Asked the shop' } },
  'reconciliation.items.assign': { data: { assignee: 'anna' } },
  'reconciliation.decisions.create': {
    query: { dry_run: true },
    file: Buffer.from('id,version,decision,note\n1,1,,\n'),
  },
  'reconciliation.periods.close': { data: { closed_through: '2030-02-28' } },
  'operator.companies.create': { data: { name: 'Another', customer_number: 'C-2' } },
  'operator.companies.update': { data: { name: 'Renamed' } },
  'operator.realCards.create': {
    data: { company_id: 1, alias: 'Second', billing_currency: 'EUR', account_range: '54545455' },
  },
  'operator.keys.create': { data: { role: 'client', company_id: 1, name: 'a key' } },
  'operator.events.record': { data: { company_id: 1, event_type: 'ach.status', payload: { of: 'another' } } },
  'operator.imports.create': { query: { name: 'a.csv' }, file: Buffer.from('not a file of the network') },
  'operator.imports.preview': { query: { name: 'a.csv' }, file: Buffer.from('not a file of the network') },
  'operator.imports.release': note,
  'bank.accounts.create': { data: { company_id: 1, number: '1000000001', currency: 'USD', kind: 'deposit' } },
  'bank.accounts.balance.put': { data: { booked: 1_000 } },
  'bank.users.put': { data: { company_id: 1, name: 'Ann', status: 'active' } },
  'bank.companies.openBanking.put': { data: { eligible_services: ['aisp'], is_configured: true } },
  'bank.records.report': { file: Buffer.from('{}') },
  'operator.thirdParties.create': { data: { ...third_party, jwks_uri: 'https://shop.example/keys' } },
  'sandbox.consents.create': { data: { client_id: 'sandbox-aisp' } },
  'sandbox.consents.decide': { data: { decision: 'reject' } },
  'sandbox.purchases.create': { data: { vcn_id: 1, amount: 1_200 } },
  'sandbox.authorizations.clear': { data: { amount: 400 } },
  'sandbox.clock.move': { data: { set: '2030-03-15T11:00:00Z' } },
};
