import type {
  AccountBalance,
  AccountProfile,
  BankAccount,
  BankCompany,
  BankUser,
  BookedTransaction,
  DirectDebit,
  ScheduledPayment,
  StandingOrder,
} from '@tallystick/accounts';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import {
  balance,
  company,
  direct_debit,
  profile,
  scheduled_payment,
  standing_order,
  transaction,
  user,
} from './shapes.ts';

/** A user of the bank. Its id is the bank's own. */
export function presentUser(found: BankUser) {
  const { user_id, updated_at_ms } = found;
  return showAs(user, {
    ...found,
    id: user_id,
    updated_at: toInstantText(updated_at_ms),
    type: 'user',
    url: `/bank/v1/users/${user_id}`,
  });
}

export function presentBankCompany(found: BankCompany) {
  const id = String(found.company_id);
  return showAs(company, { ...found, id, type: 'open_banking', url: `/bank/v1/companies/${id}/open-banking` });
}

export function presentProfile({ number }: Pick<BankAccount, 'number'>, found: AccountProfile) {
  return showAs(profile, {
    ...found,
    id: number,
    status_updated_at: toInstantText(found.status_updated_at_ms),
    type: 'account_profile',
    url: `/bank/v1/accounts/${number}/profile`,
  });
}

export function presentBalance({ number, currency }: BankAccount, found: AccountBalance) {
  return showAs(balance, {
    ...found,
    id: number,
    currency,
    as_of: toInstantText(found.as_of_ms),
    type: 'account_balance',
    url: `/bank/v1/accounts/${number}/balance`,
  });
}

export function presentTransaction({ number, currency }: BankAccount, found: BookedTransaction) {
  return showAs(transaction, { ...found, id: found.transaction_id, account: number, currency, type: 'transaction' });
}

/** What the mandates and orders of an account have in common. */
function ofAccount({ number, currency }: BankAccount, order: { readonly id: number; readonly updated_at_ms: number }) {
  return { id: String(order.id), account: number, currency, updated_at: toInstantText(order.updated_at_ms) };
}

export function presentDirectDebit(account: BankAccount, order: DirectDebit) {
  return showAs(direct_debit, { ...order, ...ofAccount(account, order), type: 'direct_debit' });
}

export function presentStandingOrder(account: BankAccount, order: StandingOrder) {
  return showAs(standing_order, { ...order, ...ofAccount(account, order), type: 'standing_order' });
}

export function presentScheduledPayment(account: BankAccount, order: ScheduledPayment) {
  return showAs(scheduled_payment, { ...order, ...ofAccount(account, order), type: 'scheduled_payment' });
}
