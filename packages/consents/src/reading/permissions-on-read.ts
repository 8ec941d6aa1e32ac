import type { Permission } from '../consent/permission.ts';
import { denied } from '../open-banking-refusal.ts';

/** The kinds of data that a third party reads. */
export type ReadableResource =
  | 'accounts'
  | 'balances'
  | 'transactions'
  | 'direct_debits'
  | 'standing_orders'
  | 'scheduled_payments';

type Granted = readonly Permission[];

/** Rule 1: every resource needs ReadAccountsBasic or ReadAccountsDetail (service specification 4.5). */
export function mayReadAccounts(granted: Granted): boolean {
  return granted.includes('ReadAccountsBasic') || granted.includes('ReadAccountsDetail');
}

/** Rule 3. */
export function mayReadBalances(granted: Granted): boolean {
  return granted.includes('ReadBalances');
}

/** Rule 4, with Basic (decision: consents). Both sides are needed. */
export function mayReadTransactions(granted: Granted): boolean {
  const has_kind = granted.includes('ReadTransactionsBasic') || granted.includes('ReadTransactionsDetail');
  return has_kind && granted.includes('ReadTransactionsCredits') && granted.includes('ReadTransactionsDebits');
}

/** Rule 5. */
export function mayReadDirectDebits(granted: Granted): boolean {
  return granted.includes('ReadDirectDebits');
}

/** Rule 6. */
export function mayReadStandingOrders(granted: Granted): boolean {
  return granted.includes('ReadStandingOrdersBasic') || granted.includes('ReadStandingOrdersDetail');
}

/** Rule 7. */
export function mayReadScheduledPayments(granted: Granted): boolean {
  return granted.includes('ReadScheduledPaymentsBasic') || granted.includes('ReadScheduledPaymentsDetail');
}

const rules: Readonly<Record<ReadableResource, { readonly needed: string; isMet(granted: Granted): boolean }>> = {
  accounts: { needed: 'ReadAccountsBasic or ReadAccountsDetail', isMet: mayReadAccounts },
  balances: { needed: 'ReadBalances', isMet: mayReadBalances },
  transactions: {
    needed:
      'ReadTransactionsBasic or ReadTransactionsDetail, with both ReadTransactionsCredits and ReadTransactionsDebits',
    isMet: mayReadTransactions,
  },
  direct_debits: { needed: 'ReadDirectDebits', isMet: mayReadDirectDebits },
  standing_orders: { needed: 'ReadStandingOrdersBasic or ReadStandingOrdersDetail', isMet: mayReadStandingOrders },
  scheduled_payments: {
    needed: 'ReadScheduledPaymentsBasic or ReadScheduledPaymentsDetail',
    isMet: mayReadScheduledPayments,
  },
};

/** Refuses (`denied`) a resource for which the consent has not every permission. */
export function refuseMissingPermission(granted: Granted, resource: ReadableResource): void {
  for (const { needed, isMet } of [rules.accounts, rules[resource]]) {
    if (!isMet(granted)) throw denied('Tallystick.Permission.Missing', `the consent lacks the permission ${needed}`);
  }
}

/**
 * Whether detail-only fields of the resource are shown. Detail implies Basic, so a consent with both
 * shows them.
 */
export function showsDetail(
  granted: Granted,
  resource: 'accounts' | 'transactions' | 'standing_orders' | 'scheduled_payments',
): boolean {
  const detail = {
    accounts: 'ReadAccountsDetail',
    transactions: 'ReadTransactionsDetail',
    standing_orders: 'ReadStandingOrdersDetail',
    scheduled_payments: 'ReadScheduledPaymentsDetail',
  } as const;
  return granted.includes(detail[resource]);
}
