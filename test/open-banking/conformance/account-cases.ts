import type { AppliedCase, ConformanceCase, ExcludedCase } from './case.ts';

const one_account = '/accounts/{AccountId}';
const balances = '/accounts/{AccountId}/balances';
const debits = '/accounts/{AccountId}/direct-debits';
const orders = '/accounts/{AccountId}/standing-orders';
const payments = '/accounts/{AccountId}/scheduled-payments';
const transactions = '/accounts/{AccountId}/transactions';

const basic = ['ReadAccountsBasic'];
const detail = ['ReadAccountsDetail'];
const of_balances = [...basic, 'ReadBalances'];
const of_debits = [...basic, 'ReadDirectDebits'];
const of_orders = [...basic, 'ReadStandingOrdersDetail'];
const of_payments = [...basic, 'ReadScheduledPaymentsDetail'];
const both_sides = ['ReadTransactionsDebits', 'ReadTransactionsCredits'];
const of_transactions = [...basic, 'ReadTransactionsBasic', ...both_sides];
const of_all_transactions = [...of_transactions, 'ReadTransactionsDetail'];

const detail_of_transactions = ['TransactionInformation', 'Balance', 'MerchantDetails', 'CreditorAgent', 'DebtorAgent'];

const id_one = '93bac548-d2de-4546-b106-880a5018460d';
const id_many = 'f5a10e5e-0c46-41c5-a7b7-c8f560205200';
const id_account = 'f5a10e5e-0c46-41c5-a7b7-c8f56020520c';

type More = Partial<AppliedCase>;

function reads(id: string, path: string, permissions: readonly string[], checks: string, more: More = {}): AppliedCase {
  return { id, checks, applies: true, method: 'GET', path, token: 'granted', permissions, statuses: [200], ...more };
}

function playsBack(id: string, path: string, permissions: readonly string[], interaction_id: string): AppliedCase {
  return reads(id, path, permissions, `plays back the interaction id on ${path}`, { interaction_id });
}

function hasNoSuchPath(id: string, path: string, permissions: readonly string[]): AppliedCase {
  return reads(id, path, permissions, `answers 404 on ${path}, which is not defined`, { statuses: [404] });
}

function refusesUnknownAccount(id: string, path: string, permissions: readonly string[], more: More = {}): AppliedCase {
  const checks = `refuses an AccountId that does not exist on ${path}, and does not say that it is unknown`;
  return reads(id, path, permissions, checks, { id_in_path: 'foobar', statuses: [400, 403], ...more });
}

function needsToken(id: string, path: string): AppliedCase {
  const checks = `answers 401 on ${path} without a token`;
  return { id, checks, applies: true, method: 'GET', path, token: 'none', statuses: [401] };
}

function needsUser(id: string, path: string): AppliedCase {
  const checks = `answers 401 on ${path} with a token by client credentials`;
  return { id, checks, applies: true, method: 'GET', path, token: 'client_credentials', statuses: [401] };
}

function notServed(path: string, resource: string, ...ids: readonly string[]): ExcludedCase[] {
  const checks = `reads ${resource} at ${path}`;
  const reason = `The standard leaves ${resource} to the bank, and this service does not serve it: ${path} answers 404`;
  return ids.map((id) => ({ id, checks, applies: false, reason, path }));
}

const bulk_balances = notServed(
  '/balances',
  'the balances of all accounts at once',
  'OB-301-BAL-101300',
  'OB-301-BAL-101500',
  'OB-301-BAL-101700',
  'OB-301-BAL-101703',
);
const bulk_transactions = notServed(
  '/transactions',
  'the transactions of all accounts at once',
  'OB-301-TRA-105200',
  'OB-301-TRA-105400',
  'OB-301-TRA-105600',
);
const beneficiaries = [
  ...notServed(
    '/accounts/{AccountId}/beneficiaries',
    'beneficiaries',
    'OB-301-BEN-101800',
    'OB-301-BEN-102100',
    'OB-301-BEN-102200',
    'OB-301-BEN-102201',
    'OB-301-BEN-102204',
  ),
  ...notServed(
    '/beneficiaries',
    'beneficiaries of all accounts',
    'OB-301-BEN-101900',
    'OB-301-BEN-102000',
    'OB-301-BEN-102203',
    'OB-301-BEN-102205',
    'OB-301-PAR-103103',
  ),
];
const offers = [
  ...notServed(
    '/accounts/{AccountId}/offers',
    'offers',
    'OB-301-OFF-102600',
    'OB-301-OFF-102800',
    'OB-301-OFF-102801',
    'OB-301-OFF-102803',
  ),
  ...notServed('/offers', 'offers of all accounts', 'OB-301-OFF-102700', 'OB-301-OFF-102802', 'OB-301-OFF-102804'),
];
const parties = [
  ...notServed(
    '/accounts/{AccountId}/party',
    'the party of an account',
    'OB-301-PAR-102900',
    'OB-301-PAR-103000',
    'OB-301-PAR-103100',
    'OB-301-PAR-103101',
    'OB-301-PAR-103104',
  ),
  ...notServed(
    '/accounts/{AccountId}/parties',
    'the parties of an account',
    'OB-301-PAR-102902',
    'OB-301-PAR-103106',
    'OB-301-PAR-103107',
    'OB-301-PAR-103108',
  ),
  ...notServed('/party', 'the party that authorised', 'OB-301-PAR-102901', 'OB-301-PAR-103102', 'OB-301-PAR-103105'),
];
const products = [
  ...notServed(
    '/accounts/{AccountId}/product',
    'products',
    'OB-301-PRO-103200',
    'OB-301-PRO-103400',
    'OB-301-PRO-103401',
    'OB-301-PRO-103402',
  ),
  ...notServed('/products', 'products of all accounts', 'OB-301-PRO-103300', 'OB-301-PRO-102802'),
  ...notServed('/product', 'products at a path that the standard does not define', 'OB-301-PRO-103403'),
];
const statements = notServed(
  '/statements',
  'statements of all accounts',
  'OB-301-STA-105900',
  'OB-301-STA-106000',
  'OB-301-STA-106100',
  'OB-301-STA-106200',
  'OB-301-STA-106300',
);

/** The cases of `ob_3.1_accounts_transactions_fca.json`. */
export const account_cases: readonly ConformanceCase[] = [
  hasNoSuchPath('OB-301-ACC-001000', '/foobar', basic),
  reads('OB-301-ACC-100000', one_account, basic, 'reads an account without its detail by ReadAccountsBasic', {
    items_lack: ['Account', 'Servicer'],
  }),
  reads('OB-301-ACC-100200', one_account, detail, 'reads an account with its detail by ReadAccountsDetail', {
    items_have: ['Account'],
  }),
  reads('OB-301-ACC-100300', '/accounts', basic, 'reads all accounts without their detail by ReadAccountsBasic', {
    items_lack: ['Account', 'Servicer'],
  }),
  reads('OB-301-ACC-100400', '/accounts', detail, 'reads all accounts with their detail by ReadAccountsDetail', {
    items_have: ['Account'],
  }),
  needsToken('OB-301-ACC-100500', one_account),
  needsToken('OB-301-ACC-100600', '/accounts'),
  playsBack('OB-301-ACC-100700', one_account, detail, id_account),
  playsBack('OB-301-ACC-100800', '/accounts', detail, id_many),
  needsToken('OB-301-ACC-101000', one_account),
  needsToken('OB-301-ACC-101100', '/accounts'),
  hasNoSuchPath('OB-301-ACC-101101', `${one_account}/foobar`, basic),
  reads('OB-313-ACC-000100', '/accounts', basic, 'does not ask for x-fapi-financial-id, which older versions had', {
    lacks_financial_id: true,
  }),

  reads('OB-301-BAL-101200', balances, of_balances, 'reads the balances of an account by ReadBalances'),
  reads('OB-301-BAL-101400', balances, basic, 'refuses balances without ReadBalances', { statuses: [400, 403] }),
  refusesUnknownAccount('OB-301-BAL-101600', balances, of_balances),
  hasNoSuchPath('OB-301-BAL-101701', `${balances}/foobar`, of_balances),
  playsBack('OB-301-BAL-101702', balances, of_balances, id_one),
  ...bulk_balances,
  ...beneficiaries,

  reads('OB-301-DIR-102300', debits, of_debits, 'reads the direct debits of an account by ReadDirectDebits'),
  reads('OB-301-DIR-102400', '/direct-debits', of_debits, 'reads the direct debits of all accounts'),
  refusesUnknownAccount('OB-301-DIR-102500', debits, of_debits),
  hasNoSuchPath('OB-301-DIR-102501', `${debits}/foobar`, of_debits),
  needsUser('OB-301-DIR-102502', '/direct-debits'),
  playsBack('OB-301-DIR-102503', debits, of_debits, id_one),
  playsBack('OB-301-DIR-102504', '/direct-debits', of_debits, id_many),
  ...offers,
  ...parties,
  ...products,

  reads('OB-301-SCP-103500', payments, of_payments, 'reads the scheduled payments of an account, with their detail', {
    items_have: ['CreditorAccount'],
  }),
  reads('OB-301-SCP-103600', '/scheduled-payments', of_payments, 'reads the scheduled payments of all accounts'),
  refusesUnknownAccount('OB-301-SCP-103700', payments, of_payments),
  hasNoSuchPath('OB-301-SCP-103701', `${payments}/foobar`, of_payments),
  needsUser('OB-301-SCP-103702', '/scheduled-payments'),
  playsBack('OB-301-SCP-103703', payments, of_payments, id_one),
  playsBack('OB-301-SCP-103704', '/scheduled-payments', of_payments, id_many),

  reads('OB-301-STO-103800', orders, of_orders, 'reads the standing orders of an account, with their detail', {
    items_have: ['CreditorAccount'],
  }),
  reads('OB-301-STO-103900', '/standing-orders', of_orders, 'reads the standing orders of all accounts'),
  reads('OB-301-STO-103901', '/standing-orders', of_orders, 'reads the standing orders of all accounts once more'),
  refusesUnknownAccount('OB-301-STO-104000', orders, of_orders),
  hasNoSuchPath('OB-301-STO-104100', `${orders}/foobar`, of_orders),
  needsUser('OB-301-STO-104101', '/standing-orders'),
  playsBack('OB-301-STO-104102', orders, of_orders, id_one),
  playsBack('OB-301-STO-104103', '/standing-orders', of_orders, id_many),

  reads('OB-301-TRA-105000', transactions, of_transactions, 'reads transactions without their detail by Basic', {
    items_lack: detail_of_transactions,
  }),
  reads('OB-301-TRA-105100', transactions, of_all_transactions, 'reads transactions with their detail', {
    items_have: ['TransactionInformation'],
  }),
  reads('OB-301-TRA-105110', transactions, of_all_transactions, 'accepts booking times without a zone', {
    query: { fromBookingDateTime: '2020-04-23T15:47:00', toBookingDateTime: '2020-04-23T15:48:00' },
  }),
  reads('OB-301-TRA-105120', transactions, of_all_transactions, 'accepts booking times with milliseconds', {
    query: { fromBookingDateTime: '2020-04-23T15:47:00.999', toBookingDateTime: '2020-04-23T15:48:00.999' },
  }),
  needsToken('OB-301-TRA-105300', transactions),
  playsBack('OB-301-TRA-105500', transactions, of_transactions, id_account),
  refusesUnknownAccount('OB-301-TRA-105700', transactions, ['ReadTransactionsBasic', 'ReadTransactionsDetail'], {
    added_permissions: [...basic, ...both_sides],
  }),
  ...bulk_transactions,
  ...statements,
];
