import type { ReportedLine, StatementHead } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';

/** An account at the bank, whether or not the service knows it. Amounts in minor units. */
export interface BankAccount {
  readonly number: string;
  readonly company_id: number;
  readonly currency: string;
  is_opened: boolean;
  /** The closing balance of its last statement. */
  balance: number;
  /** The date of its last statement, YYYY-MM-DD; empty before the first. */
  last_as_of: string;
  /** What is booked since. */
  booked: Booking[];
}

/** A line without its date: it is that of its statement. */
export type Booking = Omit<ReportedLine, 'booking_date' | 'value_date'>;

export interface WrittenStatement {
  readonly head: StatementHead;
  readonly lines: readonly ReportedLine[];
}

/** The bank of the companies: it books, and writes statements whose balances form a chain. */
export class Bank {
  readonly accounts: BankAccount[] = [];
  #files = 0;

  /** The account of a company, which exists at the bank before the service knows it. */
  accountOf({ id, billing_currency }: { readonly id: number; readonly billing_currency: string }): BankAccount {
    const known = this.accounts.find(({ company_id }) => company_id === id);
    if (known !== undefined) return known;
    const account: BankAccount = {
      number: `7000${id}`,
      company_id: id,
      currency: billing_currency,
      is_opened: false,
      balance: 0,
      last_as_of: '',
      booked: [],
    };
    this.accounts.push(account);
    return account;
  }

  /** Writes everything that is booked on an account. */
  state(account: BankAccount, as_of: string): WrittenStatement {
    const lines = account.booked.map((line) => ({ ...line, booking_date: as_of, value_date: as_of }));
    const closing = lines.reduce((sum, { amount }) => sum + amount, account.balance);
    const head: StatementHead = {
      account_number: account.number,
      currency: account.currency,
      reference: null,
      as_of,
      opening_balance: money(account.balance),
      closing_balance: money(closing),
    };
    account.booked = [];
    account.balance = closing;
    account.last_as_of = as_of;
    return { head, lines };
  }

  nextFile(): number {
    this.#files += 1;
    return this.#files;
  }
}
