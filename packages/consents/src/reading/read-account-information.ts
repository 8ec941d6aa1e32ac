import type { BankAccount, BankData } from '@tallystick/accounts';
import {
  assert,
  dayAt,
  pageStart,
  Refusal,
  type TwoWayList,
  type TwoWayPage,
  type TwoWayPageRequest,
  twoWayPage,
} from '@tallystick/kernel';
import { type ReadableResource, showsDetail } from '../consent/check-permissions.ts';
import type { Permission } from '../consent/permission.ts';
import { OpenBankingRefusal } from '../open-banking-refusal.ts';
import type { ConsentsTx, GrantedCall, ReadPorts } from '../ports.ts';
import { balanceOf, grantedAccount, grantedAccounts, type OpenGrant, openGrant } from './open-grant.ts';
import { showAccount } from './shapes/account.ts';
import { showDay } from './shapes/amount.ts';
import { showBalances } from './shapes/balance.ts';
import { showDirectDebit, showScheduledPayment, showStandingOrder } from './shapes/payments.ts';
import { showTransaction } from './shapes/transaction.ts';
import { type TransactionQuery, transactionRange } from './transaction-range.ts';

/** A list as the standard shows it: one name in `Data`, with its items. */
export interface OpenBankingPage {
  readonly Data: Readonly<Record<string, readonly object[]>>;
  /** Cursors of the pages before and after it; null: there is none. */
  readonly next: string | null;
  readonly prev: string | null;
  /** The range of booking instants that was served, ISO 8601 with a zone; only of transactions. */
  readonly first_available?: string;
  readonly last_available?: string;
}

const open_banking_page_items = 100;

/** The page to return, by a cursor of an earlier page. */
export interface ReadPage {
  readonly cursor: string | undefined;
}

type ReadTx = Pick<ConsentsTx, 'consents'>;

/**
 * The accounts of the grant that the user may still view. With an AccountId: just that one. All
 * reads refuse a consent that is expired (`unauthenticated`), and `denied`: a consent that grants
 * nothing, a missing permission, a condition of service specification 5.6, and an account that is
 * unknown or not granted. A cursor of another list is `invalid`.
 */
export async function readAccounts(
  tx: ReadTx,
  { bank }: ReadPorts,
  call: GrantedCall,
  account_number: string | null,
  page: ReadPage,
): Promise<OpenBankingPage> {
  const grant = await openGrant(tx, bank, call, 'accounts');
  const accounts = await accountsOf(bank, grant, account_number);
  const detail = showsDetail(grant.consent.permissions, 'accounts');
  const shown = await readPage(page, async (request) => pageOfAccounts(accounts, request));
  return pageOf('Account', shown, (account) => showAccount(account, { detail }));
}

/** The balances of one account: InterimBooked and InterimAvailable. */
export async function readBalances(
  tx: ReadTx,
  { bank }: ReadPorts,
  call: GrantedCall,
  account_number: string,
): Promise<OpenBankingPage> {
  const grant = await openGrant(tx, bank, call, 'balances');
  const account = await grantedAccount(bank, grant, account_number);
  return { Data: { Balance: showBalances(account, await balanceOf(bank, account)) }, next: null, prev: null };
}

/** The booked transactions of one account, within the range of the seven rules and the consent. */
export async function readTransactions(
  tx: ReadTx,
  { bank }: ReadPorts,
  call: GrantedCall,
  account_number: string,
  query: TransactionQuery,
  page: ReadPage,
): Promise<OpenBankingPage> {
  const grant = await openGrant(tx, bank, call, 'transactions');
  const account = await grantedAccount(bank, grant, account_number);
  const range = transactionRange(query, grant.consent, call.now_ms);
  if (range === null) return { Data: { Transaction: [] }, next: null, prev: null };
  const detail = showsDetail(grant.consent.permissions, 'transactions');
  const shown = await readPage(page, (request) => bank.transactionsOf(account.id, range, request));
  return {
    ...pageOf('Transaction', shown, (transaction) => showTransaction(account, transaction, { detail })),
    first_available: showDay(range.from),
    last_available: showDay(range.to),
  };
}

/** Reads a list of one account, or of all accounts of the grant (null). */
export type ReadOfAccounts = (
  tx: ReadTx,
  ports: ReadPorts,
  call: GrantedCall,
  account_number: string | null,
  page: ReadPage,
) => Promise<OpenBankingPage>;

/** The active mandates. */
export const readDirectDebits = readerOf({
  resource: 'direct_debits',
  name: 'DirectDebit',
  find: (bank, ids, _today, request) => bank.activeDirectDebits(ids, request),
  show: showDirectDebit,
});

/** The pending standing orders. */
export const readStandingOrders = readerOf({
  resource: 'standing_orders',
  name: 'StandingOrder',
  find: (bank, ids, today, request) => bank.pendingStandingOrders(ids, today, request),
  show: (owner, order, granted) => showStandingOrder(owner, order, { detail: showsDetail(granted, 'standing_orders') }),
});

/** The pending scheduled payments. */
export const readScheduledPayments = readerOf({
  resource: 'scheduled_payments',
  name: 'ScheduledPayment',
  find: (bank, ids, today, request) => bank.pendingScheduledPayments(ids, today, request),
  show: (owner, payment, granted) =>
    showScheduledPayment(owner, payment, { detail: showsDetail(granted, 'scheduled_payments') }),
});

interface ListOfAccounts<Item> {
  readonly resource: ReadableResource;
  /** Its name in `Data`. */
  readonly name: string;
  /** `today` is the date in UTC. */
  find(bank: BankData, ids: readonly number[], today: string, request: TwoWayPageRequest): Promise<TwoWayPage<Item>>;
  show(owner: BankAccount, item: Item, granted: readonly Permission[]): object;
}

/** Without accounts the bank is not asked. */
function readerOf<Item extends { readonly account_id: number }>(list: ListOfAccounts<Item>): ReadOfAccounts {
  return async (tx, { bank }, call, account_number, page) => {
    const grant = await openGrant(tx, bank, call, list.resource);
    const accounts = await accountsOf(bank, grant, account_number);
    const ids = accounts.map(({ id }) => id);
    const shown: TwoWayPage<Item> =
      ids.length === 0
        ? { items: [], next: null, prev: null }
        : await readPage(page, (request) => list.find(bank, ids, dayAt(call.now_ms), request));
    return pageOf(list.name, shown, (item) => list.show(ownerOf(accounts, item), item, grant.consent.permissions));
  };
}

/** One account of the grant, or all of them that the user may still view. */
async function accountsOf(
  bank: BankData,
  grant: OpenGrant,
  account_number: string | null,
): Promise<readonly BankAccount[]> {
  if (account_number === null) return await grantedAccounts(bank, grant);
  return [await grantedAccount(bank, grant, account_number)];
}

async function readPage<Item>(
  { cursor }: ReadPage,
  read: (request: TwoWayPageRequest) => Promise<TwoWayPage<Item>>,
): Promise<TwoWayPage<Item>> {
  try {
    return await read({ limit: open_banking_page_items, ...(cursor === undefined ? {} : { cursor }) });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_query') throw error;
    const message = 'page must be the cursor of another page of this list';
    throw new OpenBankingRefusal('invalid', [{ code: 'UK.OBIE.Field.Invalid', path: 'page', message }]);
  }
}

function pageOf<Item>(
  name: string,
  { items, next, prev }: TwoWayPage<Item>,
  show: (item: Item) => object,
): OpenBankingPage {
  return { Data: { [name]: items.map(show) }, next, prev };
}

/** The account of an item. The bank returns only what belongs to the accounts it was asked about. */
function ownerOf(accounts: readonly BankAccount[], { account_id }: { readonly account_id: number }): BankAccount {
  const owner = accounts.find(({ id }) => id === account_id);
  assert(owner !== undefined, `the bank returned data of the account ${account_id}, which was not asked for`);
  return owner;
}

const granted_accounts: TwoWayList = { list: 'granted_accounts', parts: ['name'] };

/**
 * A page of accounts that are ordered by rising number. A cursor holds a number, so that a page
 * stays right when accounts before it are no longer viewed.
 */
function pageOfAccounts(accounts: readonly BankAccount[], request: TwoWayPageRequest): TwoWayPage<BankAccount> {
  const start = pageStart(granted_accounts, request);
  const rows = rowsFrom(accounts, start).slice(0, request.limit + 1);
  return twoWayPage(granted_accounts, start, rows, request.limit, ({ number }) => [number]);
}

function rowsFrom(accounts: readonly BankAccount[], start: ReturnType<typeof pageStart>): readonly BankAccount[] {
  if (start === null) return accounts;
  const number = String(start.place[0]);
  if (start.direction === 'next') return accounts.filter((account) => account.number > number);
  return accounts.filter((account) => account.number < number).toReversed();
}
