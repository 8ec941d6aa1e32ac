import type { Permission } from '../consent/permission.ts';
import { missingPermissions, type ReadableResource } from '../consent/permission-rules.ts';
import { denied } from '../open-banking-refusal.ts';

/** Refuses (`denied`) a resource for which the consent has not every permission. */
export function refuseMissingPermission(granted: readonly Permission[], resource: ReadableResource): void {
  for (const read of ['accounts', resource] as const) {
    const missing = missingPermissions(granted, read);
    if (missing !== null) throw denied('Tallystick.Permission.Missing', `the consent lacks the permission ${missing}`);
  }
}

/**
 * Whether detail-only fields of the resource are shown. Detail implies Basic, so a consent with both
 * shows them.
 */
export function showsDetail(
  granted: readonly Permission[],
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
