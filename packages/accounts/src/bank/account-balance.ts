import { decimalsOf, type Money, money, sum_max, Temporal } from '@tallystick/kernel';
import type { Account } from '../account.ts';

/** The balance of an account, in its currency. A debt is negative. */
export interface AccountBalance {
  readonly account_id: number;
  /** InterimBooked. */
  readonly booked: Money;
  /** What is available of the holder's own funds, without the credit line. */
  readonly available: Money;
  /** The credit line that comes on top of `available`; null: none. Never negative. */
  readonly credit_line: Money | null;
  readonly as_of_ms: number;
}

/** The digits that Open Banking has for major units (OBActiveOrHistoricCurrencyAndAmount). */
const major_digits_max = 13;

/**
 * The largest balance that Open Banking can show in a currency, and that is accepted, in minor
 * units. A debt may be as large.
 */
export function balanceMaxOf(currency: string): number {
  return Math.min(10 ** (major_digits_max + decimalsOf(currency)) - 1, sum_max);
}

export function isShowableBalance(balance: number, currency: string): boolean {
  return Math.abs(balance) <= balanceMaxOf(currency);
}

/**
 * What is available of own funds and of the credit line. The two can be of different times, so that
 * only their sum is too large; then it is the largest balance that can be shown.
 */
export function availableOf(
  { available, credit_line }: Pick<AccountBalance, 'available' | 'credit_line'>,
  currency: string,
): Money {
  return money(Math.min(available + (credit_line ?? 0), balanceMaxOf(currency)));
}

/**
 * The balance after an amount was booked. It stays within what can be shown: a purchase that was
 * cleared cannot be refused.
 */
export function movedBalance(balance: AccountBalance, amount: number, at_ms: number, currency: string): AccountBalance {
  const max = balanceMaxOf(currency);
  const move = (from: Money) => money(Math.max(-max, Math.min(from + amount, max)));
  const { booked, available, as_of_ms } = balance;
  return { ...balance, booked: move(booked), available: move(available), as_of_ms: Math.max(as_of_ms, at_ms) };
}

/**
 * The balance of an account from what the bank reported (null: nothing) and from its last
 * statement: the one that is later. A statement has the balance at the end of its day, and leaves
 * the credit line as it was reported. Without either the balance is 0.
 */
export function currentBalance(
  { id, created_at_ms, last_statement }: Pick<Account, 'id' | 'created_at_ms' | 'last_statement'>,
  reported: AccountBalance | null,
): AccountBalance {
  const credit_line = reported?.credit_line ?? null;
  if (last_statement !== null) {
    const as_of_ms = endOfDay(last_statement.as_of);
    if (reported === null || as_of_ms > reported.as_of_ms) {
      return balanceOf(id, last_statement.balance, credit_line, as_of_ms);
    }
  }
  return reported ?? balanceOf(id, money(0), null, created_at_ms);
}

function balanceOf(account_id: number, booked: Money, credit_line: Money | null, as_of_ms: number): AccountBalance {
  return { account_id, booked, available: booked, credit_line, as_of_ms };
}

/** The midnight (UTC) after a date, but at most the end of 9999: a later year has more digits. */
function endOfDay(date: string): number {
  const midnight_ms = Temporal.PlainDate.from(date).add({ days: 1 }).toZonedDateTime('UTC').epochMilliseconds;
  return Math.min(midnight_ms, Date.UTC(9999, 11, 31, 23, 59, 59, 999));
}
