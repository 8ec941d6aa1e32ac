import { account_number_expected, accountNumberOf, type StatementHead } from '@tallystick/accounts';
import type { StatedProblem } from '@tallystick/imports';
import { isCurrency, isDay, type Money } from '@tallystick/kernel';
import { oneLine } from '../stated-text.ts';
import { type Collected, dayIn, dayOf, EntryProblem, readAmount, signedAmount } from './entry.ts';

interface StatedBalance {
  readonly type: string;
  readonly sub_type: string;
  readonly amount: Money;
  /** YYYY-MM-DD; empty when it states none. */
  readonly day: string;
}

/** What a statement states before its entries. */
export interface ReadHead extends Omit<StatementHead, 'opening_balance' | 'closing_balance'> {
  readonly opening_balance: Money | null;
  readonly closing_balance: Money | null;
  readonly problem?: StatedProblem;
}

const balances_max = 1_000;

/** A statement as far as it was read, before the end of its first entry. */
export class CollectedStatement {
  readonly own: Collected;
  readonly #balances: StatedBalance[] = [];
  #currency = '';
  #problem: EntryProblem | null = null;
  #is_dated = false;

  constructor(own: Collected) {
    this.own = own;
  }

  /** Adds a balance. The statement keeps the first problem of its balances. */
  addBalance(balance: Collected): void {
    this.#problem ??= this.#addBalance(balance);
  }

  /** Whether the head states a date of its own. */
  get is_dated(): boolean {
    return this.#is_dated;
  }

  #addBalance(balance: Collected): EntryProblem | null {
    const type = firstOf(balance, balance_type_paths).toUpperCase();
    // Only booked balances are read: others may be in another currency.
    if (!booked_types.includes(type)) return null;
    const what = `the balance ${type}`;
    this.#currency ||= this.own.get('Acct/Ccy') || balance.get('Amt@Ccy');
    const read = readAmount(balance, what, this.#currency);
    if (read instanceof EntryProblem) return read;
    const day = dayIn(balance, 'Dt') ?? '';
    if (day !== '' && !isDay(day)) {
      return new EntryProblem('date_malformed', `${what} must have a date, as 2026-03-01, not "${day}"`);
    }
    if (this.#balances.length === balances_max) {
      return new EntryProblem('balances_exceeded', `it must have at most ${balances_max} booked balances`);
    }
    const sub_type = balance.get('Tp/SubTp/Cd').toUpperCase();
    this.#balances.push({ type, sub_type, amount: signedAmount(read.amount, read.sign), day });
    return null;
  }

  /**
   * Reads the head of the statement. Opening balance: OPBD, else PRCD, else ITBD; closing balance:
   * CLBD, else ITBD. Pages of a statement open and close with ITBD. Of several days, the first opens
   * and the last closes, in whichever order they are listed. Without a currency of its own the
   * statement has that of its first entry. `group_day`: the date of the message, for a statement
   * that states no other.
   */
  head(entry_currency: string, group_day: string): ReadHead {
    const closing = this.#byDay('CLBD').at(-1) ?? this.#byDay('ITBD').findLast((one) => one.sub_type !== 'OIBD');
    const opening =
      this.#byDay('OPBD')[0] ??
      this.#byDay('PRCD')[0] ??
      this.#byDay('ITBD').find((one) => one.sub_type !== 'CIBD' && one !== closing);
    const account = this.own.get('Acct/Id/IBAN').toUpperCase() || firstOf(this.own, account_paths);
    const account_number = accountNumberOf(account);
    const currency = this.#currency || this.own.get('Acct/Ccy') || entry_currency;
    const stated = [closing?.day, dayOf(this.own.get('FrToDt/ToDtTm'))].find((day) => isDay(day ?? ''));
    this.#is_dated = stated !== undefined;
    const created = dayOf(this.own.get('CreDtTm')) ?? '';
    const problem = this.#problem ?? (account_number === null ? accountProblem(account) : null);
    return {
      account_number: account_number ?? oneLine([account]),
      currency: isCurrency(currency) ? currency : null,
      reference: oneLine([this.own.get('Id')]) || null,
      as_of: stated ?? (isDay(created) ? created : group_day),
      opening_balance: opening?.amount ?? null,
      closing_balance: closing?.amount ?? null,
      ...(problem === null ? {} : { problem }),
    };
  }

  /** The balances of this type, from the first day on. */
  #byDay(type: string): readonly StatedBalance[] {
    const all = this.#balances.filter((one) => one.type === type);
    return all.toSorted((a, b) => (a.day === b.day ? 0 : a.day < b.day ? -1 : 1));
  }
}

function accountProblem(account: string): EntryProblem {
  if (account === '') return new EntryProblem('account_missing', 'Acct/Id is missing: ask the bank for the account');
  return new EntryProblem('account_malformed', `Acct/Id must be ${account_number_expected}, not "${account}"`);
}

const booked_types: readonly string[] = ['OPBD', 'PRCD', 'ITBD', 'CLBD'];

/** Where balances have their type, and statements their account: now, and in version 1. */
export const balance_type_paths = ['Tp/CdOrPrtry/Cd', 'Tp/CdOrPrtry/Prtry', 'Tp/Cd', 'Tp/Prtry'];
export const account_paths = ['IBAN', 'Othr/Id', 'BBAN', 'UPIC', 'PrtryAcct/Id'].map((path) => `Acct/Id/${path}`);

function firstOf(stated: Collected, paths: readonly string[]): string {
  return paths.map((path) => stated.get(path)).find((text) => text !== '') ?? '';
}
