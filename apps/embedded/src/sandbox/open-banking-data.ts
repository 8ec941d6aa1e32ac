import {
  type Account,
  type BankStore,
  type BankUser,
  bank_rows_max,
  type ShownTransaction,
  third_party_services,
} from '@tallystick/accounts';
import { type Money, money, Temporal } from '@tallystick/kernel';

export interface SandboxAccounts {
  readonly deposit: Account;
  readonly card: Account;
}

interface BankTx {
  readonly bank: BankStore;
}

/** The users of the sandbox. The first one decides consents; the second one may not log in. */
export const sandbox_user_ids = { active: 'alex', frozen: 'blair' } as const;

/**
 * Adds what Open Banking reads in the sandbox (decision: sandbox), unless the database has it: two
 * users, balances, orders, and transactions that are read by Open Banking only. Its dates are
 * counted from now.
 */
export async function seedOpenBankingData(
  { bank }: BankTx,
  company_id: number,
  accounts: SandboxAccounts,
  now_ms: number,
): Promise<void> {
  if ((await bank.findUser(sandbox_user_ids.active)) !== null) return;
  const now = Temporal.Instant.fromEpochMilliseconds(now_ms);
  const today = now.toZonedDateTimeISO('UTC').toPlainDate();
  await bank.putCompany({ company_id, eligible_services: third_party_services, is_configured: true });
  await bank.putUsers(usersOf(company_id, accounts, now_ms));
  await putProfiles(bank, accounts, now_ms);
  const history = historyOf(accounts.deposit.id, today, now_ms);
  for (let at = 0; at < history.rows.length; at += bank_rows_max) {
    await bank.recordShown(history.rows.slice(at, at + bank_rows_max));
  }
  await bank.putBalances([
    {
      account_id: accounts.deposit.id,
      booked: history.booked,
      available: history.booked,
      credit_line: money(250_000),
      as_of_ms: now_ms,
    },
    {
      account_id: accounts.card.id,
      booked: money(0),
      available: money(0),
      credit_line: money(5_000_000),
      as_of_ms: now_ms,
    },
  ]);
  await putOrders(bank, accounts.deposit.id, today, now_ms);
}

function usersOf(company_id: number, { deposit, card }: SandboxAccounts, now_ms: number): readonly BankUser[] {
  const active: BankUser = {
    user_id: sandbox_user_ids.active,
    company_id,
    name: 'Alex Carter',
    status: 'active',
    eligible_services: third_party_services,
    configured_services: third_party_services,
    may_view_direct_debits: true,
    viewable_accounts: [deposit.number, card.number].toSorted(),
    updated_at_ms: now_ms,
  };
  return [active, { ...active, user_id: sandbox_user_ids.frozen, name: 'Blair Dunn', status: 'frozen' }];
}

async function putProfiles(bank: BankStore, { deposit, card }: SandboxAccounts, now_ms: number): Promise<void> {
  const shared = {
    secondary_identification: null,
    holder_name: 'Sandbox company',
    description: null,
    account_type: 'Business',
    deposit_sub_type: 'CurrentAccount',
    status: 'Enabled',
    status_updated_at_ms: now_ms,
  } as const;
  const of_deposit = {
    ...shared,
    account_id: deposit.id,
    scheme_name: 'UK.OBIE.SortCodeAccountNumber',
    identification: '20000010000001',
    nickname: 'Operations',
    opened_on: '2019-04-01',
    servicer_scheme_name: 'UK.OBIE.BICFI',
    servicer_identification: 'TALYGB2LXXX',
  };
  const of_card = {
    ...shared,
    account_id: card.id,
    scheme_name: 'UK.OBIE.PAN',
    identification: '************0001',
    nickname: 'Purchasing cards',
    opened_on: '2020-01-15',
    servicer_scheme_name: null,
    servicer_identification: null,
  };
  await bank.putProfiles([of_deposit, of_card]);
}

/** The months before this one that have transactions. */
const history_months = 42;

/** The months before this one that also have the daily business of an account. */
const busy_months = 13;

/** The dates after today on which something is booked: the last two are not served yet. */
const future_days = [2, 4, 7, 10];

const opening_balance = 1_250_000;

/** A transaction of a month: its day, code and text, and its amount in cents. */
interface Habit {
  readonly day: number;
  readonly bai_code: string;
  readonly text: string;
  readonly amount: number;
  readonly merchant?: readonly [name: string, category_code: string];
}

const monthly: readonly Habit[] = [
  { day: 1, bai_code: '195', text: 'Incoming payment Northwind Traders', amount: 820_000 },
  { day: 5, bai_code: '501', text: 'Direct debit City Water', amount: -12_040 },
  { day: 10, bai_code: '506', text: 'Internal transfer office rent', amount: -310_000 },
  { day: 15, bai_code: '495', text: 'Outgoing payment payroll', amount: -420_000 },
  { day: 27, bai_code: '698', text: 'Service fee', amount: -1_250 },
];

const daily_business: readonly Habit[] = [
  { day: 2, bai_code: '821', text: 'Card purchase', amount: -4_599, merchant: ['Paper & Ink', '5943'] },
  { day: 4, bai_code: '174', text: 'Bank giro credit invoice', amount: 65_000 },
  { day: 8, bai_code: '821', text: 'Card purchase', amount: -8_215, merchant: ['Rail Booking', '4112'] },
  { day: 12, bai_code: '595', text: 'ATM withdrawal', amount: -20_000 },
  { day: 16, bai_code: '475', text: 'Cheque', amount: -33_500 },
  { day: 19, bai_code: '508', text: 'Outgoing payment SWIFT supplier', amount: -97_300 },
  { day: 22, bai_code: '824', text: 'Card refund', amount: 1_999, merchant: ['Paper & Ink', '5943'] },
  { day: 25, bai_code: '354', text: 'Interest', amount: 413 },
];

/** The transactions of the deposit account, and the balance after the last one up to today. */
function historyOf(account_id: number, today: Temporal.PlainDate, recorded_at_ms: number) {
  const rows: Omit<ShownTransaction, 'id'>[] = [];
  let balance = opening_balance;
  let booked: Money = money(balance);
  const book = (date: Temporal.PlainDate, { bai_code, text, amount, merchant }: Habit): void => {
    balance += amount;
    if (Temporal.PlainDate.compare(date, today) <= 0) booked = money(balance);
    rows.push({
      account_id,
      bank_reference: `sandbox-${String(rows.length + 1).padStart(4, '0')}`,
      booking_date: date.toString(),
      value_date: date.toString(),
      amount: money(amount),
      bai_code,
      text,
      acquirer_reference: null,
      balance_after: money(balance),
      merchant_name: merchant?.[0] ?? null,
      merchant_category_code: merchant?.[1] ?? null,
      recorded_at_ms,
    });
  };
  for (let back = history_months; back >= 0; back -= 1) {
    const month = today.toPlainYearMonth().subtract({ months: back });
    const habits = back <= busy_months ? [...monthly, ...daily_business] : monthly;
    for (const habit of habits.toSorted((a, b) => a.day - b.day)) {
      const date = month.toPlainDate(habit);
      if (Temporal.PlainDate.compare(date, today) <= 0) book(date, habit);
    }
  }
  for (const days of future_days) {
    const amount = -1_000 * days;
    book(today.add({ days }), { day: days, bai_code: '501', text: 'Direct debit City Power', amount });
  }
  return { rows, booked };
}

async function putOrders(
  bank: BankStore,
  account_id: number,
  today: Temporal.PlainDate,
  updated_at_ms: number,
): Promise<void> {
  const mandate = { account_id, updated_at_ms };
  await bank.putDirectDebits([
    {
      ...mandate,
      mandate_reference: 'WATER-000417',
      status: 'active',
      name: 'City Water',
      frequency: 'Monthly',
      previous_payment_on: today.with({ day: 1 }).subtract({ months: 1 }).with({ day: 5 }).toString(),
      previous_payment_amount: money(12_040),
    },
    {
      ...mandate,
      mandate_reference: 'GYM-000099',
      status: 'inactive',
      name: 'Fitness Club',
      frequency: 'Monthly',
      previous_payment_on: today.subtract({ months: 8 }).toString(),
      previous_payment_amount: money(3_900),
    },
  ]);
  const creditor = {
    creditor_scheme_name: 'UK.OBIE.SortCodeAccountNumber',
    creditor_identification: '20000022222222',
    creditor_name: 'Harbour Insurance Ltd',
  };
  const yearly = { frequency: 'IntrvlMnthDay:12:10', payment_reference: 'INSURANCE', ...mandate, ...creditor };
  const none = { final_payment_on: null, final_payment_amount: null, number_of_payments: null };
  await bank.putStandingOrders([
    {
      ...yearly,
      ...none,
      reference: 'SO-1',
      status: 'active',
      first_payment_on: today.subtract({ months: history_months }).with({ day: 10 }).toString(),
      first_payment_amount: money(310_000),
      // Far enough ahead that the order stays pending while the sandbox's clock is moved.
      next_payment_on: today.add({ months: 11 }).with({ day: 10 }).toString(),
      next_payment_amount: money(310_000),
      last_payment_on: null,
      last_payment_amount: null,
    },
    {
      ...yearly,
      reference: 'SO-2',
      status: 'inactive',
      payment_reference: 'OLD INSURANCE',
      first_payment_on: today.subtract({ years: 3 }).toString(),
      first_payment_amount: money(280_000),
      next_payment_on: null,
      next_payment_amount: null,
      last_payment_on: today.subtract({ years: 1 }).toString(),
      last_payment_amount: money(280_000),
      final_payment_on: today.subtract({ years: 1 }).toString(),
      final_payment_amount: money(280_000),
      number_of_payments: '3',
    },
  ]);
  await bank.putScheduledPayments([
    {
      ...mandate,
      ...creditor,
      reference: 'SP-1',
      status: 'pending',
      scheduled_on: today.add({ days: 200 }).toString(),
      scheduled_type: 'Execution',
      amount: money(75_000),
      payment_reference: 'DEPOSIT',
    },
  ]);
}
