import { type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import { type Account, showAccountNumber } from './account.ts';
import type { AccountFilter, AccountsTx } from './ports.ts';

type ReadTx = Pick<AccountsTx, 'accounts'>;

/** The accounts of one company, or of all, the newest first. */
export function listAccounts(tx: ReadTx, filter: AccountFilter, page: PageRequest): Promise<Page<Account>> {
  return tx.accounts.list(filter, page);
}

/** The account with this number. Refuses `not_found`. */
export async function readAccount(tx: ReadTx, number: string): Promise<Account> {
  const account = await tx.accounts.findByNumber(number);
  if (account === null) throw new Refusal('not_found', `there is no account ${showAccountNumber(number)}`);
  return account;
}

export function refuseTakenAccountNumber(number: string): Refusal {
  return new Refusal(
    'conflict',
    `the number ${showAccountNumber(number)} belongs to another account; choose another one`,
  );
}
