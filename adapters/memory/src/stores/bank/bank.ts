import {
  type BankAccount,
  type BankStore,
  bank_rows_max,
  compareTransactions,
  currentBalance,
  movedBalance,
  transaction_list,
  transactionId,
  transactionPlace,
  user_list,
} from '@tallystick/accounts';
import {
  assert,
  comparePlaces,
  pageStart,
  type RowPlace,
  type TwoWayList,
  type TwoWayPage,
  type TwoWayPageRequest,
  twoWayPage,
} from '@tallystick/kernel';
import type { State } from '../../storage/state.ts';
import type { Table } from '../../storage/table.ts';

export function bankStore(state: State): BankStore {
  const { accounts, account_balances, account_profiles, bank_companies, bank_users, companies } = state;
  const { direct_debits, standing_orders, scheduled_payments, shown_transactions, statement_lines } = state;
  const bankAccount = (id: number): BankAccount => ({
    ...accounts.get(id)!,
    profile: account_profiles.get(id) ?? null,
  });

  return {
    // Transactions that write run one after another.
    lockNames: async () => {},

    findUser: async (user_id) => bank_users.get(user_id) ?? null,

    async listUsers({ company_id }, page) {
      // Rows are in the order in which their keys were first written.
      const placed = bank_users.values().map((user, place) => ({ user, place }));
      const its = placed.filter(({ user }) => company_id === undefined || user.company_id === company_id);
      const read = pageOf(user_list, its, page, ({ place }) => [place]);
      return { ...read, items: read.items.map(({ user }) => user) };
    },

    async findCompany(company_id) {
      const company = companies.get(company_id);
      if (company === undefined) return null;
      const set_up = bank_companies.get(company_id) ?? { company_id, eligible_services: [], is_configured: false };
      return { ...set_up, is_active: company.status === 'active' };
    },

    async accountsByNumber(numbers) {
      const found = accounts.values().filter(({ number }) => numbers.includes(number));
      return found.map(({ id }) => bankAccount(id)).sort((a, b) => (a.number < b.number ? -1 : 1));
    },

    async findAccount(scheme_name, identification) {
      const named = account_profiles
        .values()
        .filter((profile) => profile.scheme_name === scheme_name && profile.identification === identification)
        .map(({ account_id }) => account_id);
      const by_number = accounts.values().find(({ number }) => number === identification);
      const id = named.length > 0 ? Math.min(...named) : by_number?.id;
      return id === undefined ? null : bankAccount(id);
    },

    async balancesOf(account_ids) {
      const found = accounts.values().filter(({ id }) => account_ids.includes(id));
      return found.map((account) => currentBalance(account, account_balances.get(account.id) ?? null));
    },

    async transactionsOf(account_id, { from = '', to = '9999-12-31' }, page) {
      const isShown = (row: { readonly account_id: number; readonly booking_date: string }) =>
        row.account_id === account_id && from <= row.booking_date && row.booking_date <= to;
      const lines = statement_lines.values().filter((row) => isShown(row) && row.standing !== 'differs');
      const shown = shown_transactions.values().filter(isShown);
      const rows = [
        ...lines.map(
          ({
            company_id: _1,
            currency: _2,
            statement_id: _3,
            place: _4,
            occurrence: _5,
            recorded_at_ms: _6,
            standing: _7,
            ...line
          }) => ({
            ...line,
            source: 'line' as const,
            merchant_name: null,
            merchant_category_code: null,
          }),
        ),
        ...shown.map(({ recorded_at_ms: _, ...row }) => ({ ...row, source: 'shown' as const })),
      ];
      const { items, next, prev } = pageOf(transaction_list, rows, page, transactionPlace, compareTransactions);
      const transactions = items.map(({ id, source, ...row }) => ({
        ...row,
        transaction_id: transactionId(source, id),
      }));
      return { items: transactions, next, prev };
    },

    async activeDirectDebits(account_ids, page) {
      const active = direct_debits.values().filter(({ status }) => status === 'active');
      return ofAccounts('direct_debits', active, account_ids, page);
    },

    async pendingStandingOrders(account_ids, today, page) {
      const pending = standing_orders
        .values()
        .filter(
          ({ status, next_payment_on }) => status === 'active' && next_payment_on !== null && next_payment_on >= today,
        );
      return ofAccounts('standing_orders', pending, account_ids, page);
    },

    async pendingScheduledPayments(account_ids, today, page) {
      const pending = scheduled_payments
        .values()
        .filter(({ status, scheduled_on }) => status === 'pending' && scheduled_on >= today);
      return ofAccounts('scheduled_payments', pending, account_ids, page);
    },

    async companiesOfUsers(user_ids) {
      const its = bank_users.values().filter(({ user_id }) => user_ids.includes(user_id));
      return new Map(its.map(({ user_id, company_id }) => [user_id, company_id]));
    },

    async putUsers(users) {
      assert(users.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
      for (const user of users) bank_users.set(user.user_id, user);
    },

    async putCompany(company) {
      bank_companies.set(company.company_id, company);
    },

    profilesOf: async (account_ids) =>
      account_profiles.values().filter(({ account_id }) => account_ids.includes(account_id)),

    profilesByIdentification: async (identifications) =>
      account_profiles
        .values()
        .filter(({ identification }) => identification !== null && identifications.includes(identification)),

    async putProfiles(profiles) {
      assert(profiles.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
      for (const profile of profiles) account_profiles.set(profile.account_id, profile);
    },

    async putBalances(balances) {
      assert(balances.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
      return balances.map((balance) => {
        const stored = account_balances.get(balance.account_id);
        if (stored !== undefined && stored.as_of_ms > balance.as_of_ms) return false;
        account_balances.set(balance.account_id, balance);
        return true;
      });
    },

    async moveBalance(account_id, amount, at_ms) {
      accounts.assertHas(account_id, 'account');
      const account = accounts.get(account_id)!;
      const current = currentBalance(account, account_balances.get(account_id) ?? null);
      return account_balances.set(account_id, movedBalance(current, amount, at_ms, account.currency));
    },

    async putDirectDebits(rows) {
      putRows(direct_debits, rows, ({ account_id, mandate_reference }) => [account_id, mandate_reference]);
    },

    async putStandingOrders(rows) {
      putRows(standing_orders, rows, ({ account_id, reference }) => [account_id, reference]);
    },

    async putScheduledPayments(rows) {
      putRows(scheduled_payments, rows, ({ account_id, reference }) => [account_id, reference]);
    },

    async recordShown(rows) {
      assert(rows.length <= bank_rows_max, `at most ${bank_rows_max} transactions at once`);
      const keyOf = (row: (typeof rows)[number]) => JSON.stringify([row.account_id, row.bank_reference]);
      const known = new Set(shown_transactions.values().map(keyOf));
      let recorded = 0;
      for (const row of rows) {
        if (known.has(keyOf(row))) continue;
        known.add(keyOf(row));
        shown_transactions.insert(row);
        recorded += 1;
      }
      return recorded;
    },

    async shownReferences(account_id, references) {
      const its = shown_transactions.values().filter((row) => row.account_id === account_id);
      return its.map(({ bank_reference }) => bank_reference).filter((reference) => references.includes(reference));
    },
  };
}

interface Owned {
  readonly id: number;
  readonly account_id: number;
}

function ofAccounts<Row extends Owned>(
  list: string,
  rows: readonly Row[],
  account_ids: readonly number[],
  page: TwoWayPageRequest,
): TwoWayPage<Row> {
  const its = rows.filter(({ account_id }) => account_ids.includes(account_id));
  return pageOf({ list, parts: ['id', 'id'] }, its, page, ({ account_id, id }) => [account_id, id]);
}

/** A page of all rows of a list, which are in no order. */
function pageOf<Row>(
  list: TwoWayList,
  rows: readonly Row[],
  page: TwoWayPageRequest,
  placeOf: (row: Row) => RowPlace,
  compare: (a: Row, b: Row) => number = (a, b) => comparePlaces(placeOf(a), placeOf(b)),
): TwoWayPage<Row> {
  const start = pageStart(list, page);
  const ordered = rows.toSorted(compare);
  const is_back = start?.direction === 'prev';
  if (is_back) ordered.reverse();
  const following = start === null ? ordered : ordered.filter((row) => isBeyond(placeOf(row), start.place, is_back));
  return twoWayPage(list, start, following.slice(0, page.limit + 1), page.limit, placeOf);

  /** Whether the row's place is beyond the start in the direction in which the page is read. */
  function isBeyond(place: RowPlace, from: RowPlace, back: boolean): boolean {
    const order = list === transaction_list ? compareTransactionPlaces(place, from) : comparePlaces(place, from);
    return back ? order < 0 : order > 0;
  }
}

function compareTransactionPlaces([date_a, rank_a, id_a]: RowPlace, [date_b, rank_b, id_b]: RowPlace): number {
  return comparePlaces([date_b!, rank_a!, id_b!], [date_a!, rank_b!, id_a!]);
}

/** Replaces the rows that have the same key, and inserts the others. */
function putRows<Row extends { readonly id: number }>(
  table: Table<Row>,
  rows: readonly Omit<Row, 'id'>[],
  keyOf: (row: Omit<Row, 'id'>) => readonly (string | number)[],
): void {
  assert(rows.length <= bank_rows_max, `at most ${bank_rows_max} rows at once`);
  const ids = new Map(table.values().map((row) => [JSON.stringify(keyOf(row)), row.id]));
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const id = ids.get(key) ?? table.nextId();
    ids.set(key, id);
    table.set(id, { ...row, id } as Row);
  }
}
