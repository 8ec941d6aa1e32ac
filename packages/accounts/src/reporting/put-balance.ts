import { auditEntry, Refusal } from '@tallystick/kernel';
import { type AccountBalance, balanceMaxOf } from '../bank/account-balance.ts';
import { type BankCaller, type BankTx, servedAccount } from '../bank/bank-caller.ts';
import type { BankAccount } from '../bank/bank-data.ts';
import { BankFields, requireCurrency } from './bank-fields.ts';

export const balance_fields = ['booked', 'available', 'credit_line', 'currency', 'as_of'] as const;

/**
 * Sets the balance of an account, and writes the audit log. Refuses `not_found`,
 * `validation_failed` with every invalid field, and `conflict` when a later balance is known.
 */
export async function putAccountBalance(
  tx: BankTx,
  call: BankCaller,
  number: string,
  request: Readonly<Record<string, unknown>>,
): Promise<AccountBalance> {
  const account = await servedAccount(tx, call, number);
  const fields = new BankFields(request);
  const balance = readBalance(fields, account, call.now_ms);
  fields.refuseInvalid();
  const [is_stored] = await tx.bank.putBalances([balance!]);
  if (!is_stored) {
    throw new Refusal('conflict', 'a balance with a later `as_of` was reported before');
  }
  const owner = { ...call, company_id: account.company_id };
  await tx.audit.record(auditEntry(owner, 'account_balance.changed', `account:${account.id}`), call.now_ms);
  return balance!;
}

/** How far the clock of the bank may be ahead of the service's, milliseconds. */
const ahead_ms_max = 24 * 60 * 60 * 1_000;

/** The balance that the fields describe; null when a required one is invalid. */
export function readBalance(fields: BankFields, account: BankAccount, now_ms: number): AccountBalance | null {
  fields.require('booked');
  const max = balanceMaxOf(account.currency);
  const booked = fields.readMoney('booked', -max, max);
  const available = fields.readMoney('available', -max, max) ?? booked;
  const credit_line = fields.readMoney('credit_line', 0);
  if (available !== null && credit_line !== null && available + credit_line > max) {
    fields.addProblem(
      'credit_line',
      `must be at most ${max} together with \`available\`, not ${available + credit_line}`,
    );
  }
  requireCurrency(fields, account);
  const as_of_ms = fields.readInstant('as_of') ?? now_ms;
  if (as_of_ms > now_ms + ahead_ms_max) fields.addProblem('as_of', 'must not be more than a day ahead');
  if (booked === null || available === null) return null;
  return { account_id: account.id, booked, available, credit_line, as_of_ms };
}
