import { type Call, Refusal } from '@tallystick/kernel';
import { showAccountNumber } from '../account.ts';
import type { AccountsTx } from '../ports.ts';
import type { BankAccount } from './bank-data.ts';
import type { BankStore } from './bank-store.ts';

/** The parts of a transaction that the use cases of bank data need. */
export type BankTx = AccountsTx & { readonly bank: BankStore };

/** The caller and the time, for calls of the bank. They belong to no company of the caller. */
export type BankCall = Omit<Call, 'company_id'>;

/** The caller. A key of one company changes only what belongs to that company. */
export interface BankCaller extends BankCall {
  /** Null: all companies. */
  readonly served_company_id: number | null;
}

/**
 * The account that the caller may read and change. Refuses `not_found`, also for an account of a
 * company that the key does not serve.
 */
export async function servedAccount(
  { bank }: Pick<BankTx, 'bank'>,
  { served_company_id }: Pick<BankCaller, 'served_company_id'>,
  number: string,
): Promise<BankAccount> {
  const [account] = await bank.accountsByNumber([number]);
  if (account !== undefined && (served_company_id === null || account.company_id === served_company_id)) return account;
  throw new Refusal('not_found', `there is no account ${showAccountNumber(number)}`);
}
