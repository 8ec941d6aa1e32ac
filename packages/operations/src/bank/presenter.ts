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

/** A user of the bank. Its id is the bank's own. */
export function presentUser(user: BankUser) {
  return {
    id: user.user_id,
    company_id: user.company_id,
    name: user.name,
    status: user.status,
    eligible_services: user.eligible_services,
    configured_services: user.configured_services,
    may_view_direct_debits: user.may_view_direct_debits,
    viewable_accounts: user.viewable_accounts,
    updated_at: toInstantText(user.updated_at_ms),
    type: 'user' as const,
    url: `/bank/v1/users/${user.user_id}`,
  };
}

/** What the bank allows a company. */
export function presentBankCompany({ company_id, is_active, eligible_services, is_configured }: BankCompany) {
  return {
    id: String(company_id),
    is_active,
    eligible_services,
    is_configured,
    type: 'open_banking' as const,
    url: `/bank/v1/companies/${company_id}/open-banking`,
  };
}

/** How third parties see an account. */
export function presentProfile({ number }: Pick<BankAccount, 'number'>, profile: AccountProfile) {
  const { account_id: _, status_updated_at_ms, ...shown } = profile;
  return {
    id: number,
    ...shown,
    status_updated_at: toInstantText(status_updated_at_ms),
    type: 'account_profile' as const,
    url: `/bank/v1/accounts/${number}/profile`,
  };
}

/** The balance of an account. */
export function presentBalance({ number, currency }: BankAccount, balance: AccountBalance) {
  return {
    id: number,
    currency,
    booked: balance.booked as number,
    available: balance.available as number,
    credit_line: balance.credit_line as number | null,
    as_of: toInstantText(balance.as_of_ms),
    type: 'account_balance' as const,
    url: `/bank/v1/accounts/${number}/balance`,
  };
}

/** A booked transaction of an account. */
export function presentTransaction({ number, currency }: BankAccount, transaction: BookedTransaction) {
  return {
    id: transaction.transaction_id,
    account: number,
    bank_reference: transaction.bank_reference,
    booking_date: transaction.booking_date,
    value_date: transaction.value_date,
    amount: transaction.amount as number,
    currency,
    bai_code: transaction.bai_code,
    text: transaction.text,
    acquirer_reference: transaction.acquirer_reference,
    balance_after: transaction.balance_after as number | null,
    merchant_name: transaction.merchant_name,
    merchant_category_code: transaction.merchant_category_code,
    type: 'transaction' as const,
  };
}

/** A mandate, a standing order or a scheduled payment of an account. */
function presentOrder<Order extends DirectDebit | StandingOrder | ScheduledPayment, Type extends string>(
  { number, currency }: BankAccount,
  order: Order,
  type: Type,
) {
  const { id, account_id: _, updated_at_ms, ...shown } = order;
  return { id: String(id), account: number, currency, ...shown, updated_at: toInstantText(updated_at_ms), type };
}

export const presentDirectDebit = (account: BankAccount, order: DirectDebit) =>
  presentOrder(account, order, 'direct_debit' as const);

export const presentStandingOrder = (account: BankAccount, order: StandingOrder) =>
  presentOrder(account, order, 'standing_order' as const);

export const presentScheduledPayment = (account: BankAccount, order: ScheduledPayment) =>
  presentOrder(account, order, 'scheduled_payment' as const);
