import type {
  AccountBalance,
  AccountProfile,
  BankAccount,
  BankCompany,
  BankData,
  BankUser,
  BookedTransaction,
  DirectDebit,
  ScheduledPayment,
  StandingOrder,
} from '@tallystick/accounts';
import { invalidQuery, money, type TwoWayPage, type TwoWayPageRequest } from '@tallystick/kernel';

/** Noon of 2026-05-20, UTC. */
export const now_ms = Date.UTC(2026, 4, 20, 12);

export function bankUser(changes: Partial<BankUser> = {}): BankUser {
  return {
    user_id: 'ana',
    company_id: 1,
    name: 'Ana',
    status: 'active',
    eligible_services: ['aisp', 'cbpii'],
    configured_services: ['aisp', 'cbpii'],
    may_view_direct_debits: true,
    viewable_accounts: ['1000000001', 'ceid2000000001'],
    updated_at_ms: 0,
    ...changes,
  };
}

export function bankCompany(changes: Partial<BankCompany> = {}): BankCompany {
  return { company_id: 1, is_active: true, eligible_services: ['aisp', 'cbpii'], is_configured: true, ...changes };
}

export function bankAccount(id: number, number: string, changes: Partial<BankAccount> = {}): BankAccount {
  return {
    id,
    company_id: 1,
    number,
    currency: 'USD',
    kind: number.startsWith('ceid') ? 'card' : 'deposit',
    name: null,
    created_at_ms: 0,
    first_statement: null,
    last_statement: null,
    profile: null,
    ...changes,
  };
}

export function accountProfile(account_id: number, changes: Partial<AccountProfile> = {}): AccountProfile {
  return {
    account_id,
    scheme_name: null,
    identification: null,
    secondary_identification: null,
    holder_name: null,
    nickname: null,
    description: null,
    account_type: 'Business',
    deposit_sub_type: 'CurrentAccount',
    opened_on: null,
    status: 'Enabled',
    status_updated_at_ms: 0,
    servicer_scheme_name: null,
    servicer_identification: null,
    ...changes,
  };
}

export function accountBalance(account_id: number, changes: Partial<AccountBalance> = {}): AccountBalance {
  return { account_id, booked: money(0), available: money(0), credit_line: null, as_of_ms: now_ms, ...changes };
}

let transactions_made = 0;

export function bookedTransaction(account_id: number, changes: Partial<BookedTransaction> = {}): BookedTransaction {
  transactions_made += 1;
  return {
    transaction_id: `t-${transactions_made}`,
    account_id,
    bank_reference: null,
    booking_date: '2026-05-19',
    value_date: '2026-05-20',
    amount: money(-1_250),
    bai_code: '821',
    text: 'Coffee',
    acquirer_reference: null,
    balance_after: null,
    merchant_name: null,
    merchant_category_code: null,
    ...changes,
  };
}

export function directDebit(id: number, account_id: number, changes: Partial<DirectDebit> = {}): DirectDebit {
  return {
    id,
    account_id,
    mandate_reference: `M-${id}`,
    status: 'active',
    name: 'Water Board',
    frequency: null,
    previous_payment_on: null,
    previous_payment_amount: null,
    updated_at_ms: 0,
    ...changes,
  };
}

const creditor = {
  creditor_scheme_name: 'UK.OBIE.IBAN',
  creditor_identification: 'GB82WEST12345698765432',
  creditor_name: 'Landlord',
};

export function standingOrder(id: number, account_id: number, changes: Partial<StandingOrder> = {}): StandingOrder {
  return {
    ...creditor,
    id,
    account_id,
    reference: `SO-${id}`,
    status: 'active',
    frequency: 'IntrvlMnthDay:01:28',
    payment_reference: 'RENT',
    first_payment_on: null,
    first_payment_amount: null,
    next_payment_on: '2026-05-28',
    next_payment_amount: money(90_000),
    last_payment_on: null,
    last_payment_amount: null,
    final_payment_on: null,
    final_payment_amount: null,
    number_of_payments: null,
    updated_at_ms: 0,
    ...changes,
  };
}

export function scheduledPayment(
  id: number,
  account_id: number,
  changes: Partial<ScheduledPayment> = {},
): ScheduledPayment {
  return {
    ...creditor,
    id,
    account_id,
    reference: `SP-${id}`,
    status: 'pending',
    scheduled_on: '2026-05-25',
    scheduled_type: 'Execution',
    amount: money(5_000),
    payment_reference: null,
    updated_at_ms: 0,
    ...changes,
  };
}

/**
 * A bank whose data are lists: the simplest host of the port. Tests change the lists. It counts its
 * calls. A cursor is the place of the first item of a page.
 */
export class BankWorld implements BankData {
  users: BankUser[] = [bankUser()];
  companies: BankCompany[] = [bankCompany()];
  accounts: BankAccount[] = [bankAccount(1, '1000000001'), bankAccount(2, 'ceid2000000001')];
  balances: AccountBalance[] = [];
  transactions: BookedTransaction[] = [];
  direct_debits: DirectDebit[] = [];
  standing_orders: StandingOrder[] = [];
  scheduled_payments: ScheduledPayment[] = [];
  calls = 0;

  async findUser(user_id: string) {
    this.calls += 1;
    return this.users.find((user) => user.user_id === user_id) ?? null;
  }

  async listUsers({ company_id }: { readonly company_id?: number }, page: TwoWayPageRequest) {
    this.calls += 1;
    return this.#page(
      this.users.filter((user) => company_id === undefined || user.company_id === company_id),
      page,
    );
  }

  async findCompany(company_id: number) {
    this.calls += 1;
    return this.companies.find((company) => company.company_id === company_id) ?? null;
  }

  async accountsByNumber(numbers: readonly string[]) {
    this.calls += 1;
    return this.accounts
      .filter(({ number }) => numbers.includes(number))
      .toSorted((a, b) => (a.number < b.number ? -1 : 1));
  }

  async findAccount(scheme_name: string, identification: string) {
    this.calls += 1;
    const named = this.accounts.find(
      ({ profile }) => profile?.scheme_name === scheme_name && profile.identification === identification,
    );
    return named ?? this.accounts.find(({ number }) => number === identification) ?? null;
  }

  async balancesOf(account_ids: readonly number[]) {
    this.calls += 1;
    return account_ids.map((id) => this.balances.find((one) => one.account_id === id) ?? accountBalance(id));
  }

  async transactionsOf(
    account_id: number,
    { from = '', to = '9999' }: { readonly from?: string; readonly to?: string },
    page: TwoWayPageRequest,
  ) {
    this.calls += 1;
    const its = this.transactions.filter((one) => one.account_id === account_id);
    const within = its.filter(({ booking_date }) => from <= booking_date && booking_date <= to);
    return this.#page(
      within.toSorted((a, b) => (a.booking_date < b.booking_date ? 1 : -1)),
      page,
    );
  }

  async activeDirectDebits(account_ids: readonly number[], page: TwoWayPageRequest) {
    this.calls += 1;
    const active = this.direct_debits.filter(({ status }) => status === 'active');
    return this.#page(ofAccounts(active, account_ids), page);
  }

  async pendingStandingOrders(account_ids: readonly number[], today: string, page: TwoWayPageRequest) {
    this.calls += 1;
    const pending = this.standing_orders.filter(
      ({ status, next_payment_on }) => status === 'active' && next_payment_on !== null && next_payment_on >= today,
    );
    return this.#page(ofAccounts(pending, account_ids), page);
  }

  async pendingScheduledPayments(account_ids: readonly number[], today: string, page: TwoWayPageRequest) {
    this.calls += 1;
    const pending = this.scheduled_payments.filter(
      ({ status, scheduled_on }) => status === 'pending' && scheduled_on >= today,
    );
    return this.#page(ofAccounts(pending, account_ids), page);
  }

  #page<Item>(items: readonly Item[], { limit, cursor = '0' }: TwoWayPageRequest): TwoWayPage<Item> {
    const first = Number(cursor);
    if (!Number.isSafeInteger(first) || first < 0) throw invalidQuery({ path: 'page', message: 'must be a place' });
    return {
      items: items.slice(first, first + limit),
      next: first + limit < items.length ? String(first + limit) : null,
      prev: first > 0 ? String(Math.max(0, first - limit)) : null,
    };
  }
}

function ofAccounts<Row extends { readonly id: number; readonly account_id: number }>(
  rows: readonly Row[],
  account_ids: readonly number[],
): readonly Row[] {
  return rows
    .filter(({ account_id }) => account_ids.includes(account_id))
    .toSorted((a, b) => a.account_id - b.account_id || a.id - b.id);
}
