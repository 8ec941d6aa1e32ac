import { accountNumberOf } from '../account.ts';
import type { BankAccount } from '../bank/bank-data.ts';
import type { BankStore } from '../bank/bank-store.ts';

export function numberOfAccount(value: unknown): string | null {
  return typeof value === 'string' ? accountNumberOf(value) : null;
}

/** The accounts with these numbers, read in parts. */
export async function accountsByNumbers(
  bank: Pick<BankStore, 'accountsByNumber'>,
  numbers: ReadonlySet<string>,
): Promise<ReadonlyMap<string, BankAccount>> {
  const wanted = [...numbers];
  const found = new Map<string, BankAccount>();
  for (let at = 0; at < wanted.length; at += numbers_max) {
    for (const account of await bank.accountsByNumber(wanted.slice(at, at + numbers_max))) {
      found.set(account.number, account);
    }
  }
  return found;
}

/** The most numbers of one look-up. */
const numbers_max = 1_000;
