import { isIban, type Money, maskCardNumbers, showValue } from '@tallystick/kernel';

export const account_kinds = ['deposit', 'card'] as const;

/** `deposit`: a current account. `card`: the account of a charge card. */
export type AccountKind = (typeof account_kinds)[number];

/** An account of a company at the bank. */
export interface Account {
  readonly id: number;
  readonly company_id: number;
  /**
   * The AccountId, by which statements name it: `1000000001`, `ceid2000000001`. No other account
   * has it.
   */
  readonly number: string;
  /** ISO 4217, three letters. */
  readonly currency: string;
  readonly kind: AccountKind;
  readonly name: string | null;
  readonly created_at_ms: number;
  /** The ends of the chain of its applied statements; null before the first. */
  readonly first_statement: StatementEnd | null;
  readonly last_statement: StatementEnd | null;
}

/** Where the chain of applied statements begins or ends. */
export interface StatementEnd {
  /** The statement's date, YYYY-MM-DD. */
  readonly as_of: string;
  /** The opening balance of the first statement; the closing balance of the last. */
  readonly balance: Money;
}

/** The form of an account's number. An IBAN also has up to 34 characters. */
export const account_number_form = /^[A-Za-z0-9]{1,34}$/;

/** Blanks, points, hyphens and slashes, with which banks write numbers. */
const separators = /[\s./-]/g;

/** A number as banks write it. `accountNumberOf` returns it in the form of an account's number. */
export const written_account_number_form = /^[\s./-]*(?:[A-Za-z0-9][\s./-]*){1,34}$/;

/** What an account's number must be, in words. */
export const account_number_expected = '1 to 34 letters and digits of ASCII';

/** How the number of a card account begins (service specification 4.5). */
export const card_account_prefix = 'ceid';

/** The longest name of an account, in code points. */
export const account_name_length_max = 255;

export function isAccountNumber(text: string): boolean {
  return account_number_form.test(text);
}

/**
 * The number of the account that the text names: `1920001230800` for `19-2000123/0800`. Null when it
 * is none. Numbers are compared by their letters and digits only, and IBANs in capitals.
 */
export function accountNumberOf(text: string): string | null {
  const number = text.replace(separators, '');
  const capitals = number.toUpperCase();
  return isIban(capitals) ? capitals : isAccountNumber(number) ? number : null;
}

/** The number of an account as messages show it: whole, unless it is the number of a card. */
export function showAccountNumber(number: unknown): string {
  const is_number = typeof number === 'string' && isAccountNumber(number);
  return is_number ? JSON.stringify(maskCardNumbers(number)) : showValue(number);
}
