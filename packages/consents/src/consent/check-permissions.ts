import { showValue } from '@tallystick/kernel';
import { denied } from '../open-banking-refusal.ts';
import { type Permission, permissions, toPermission, unsupported_permissions } from './permission.ts';
import type { RequestBody } from './request-body.ts';

/** The most items of `Permissions`. The standard has 21. */
export const permission_items_max = 100;

/** The kinds of data that a third party reads. */
export type ReadableResource =
  | 'accounts'
  | 'balances'
  | 'transactions'
  | 'direct_debits'
  | 'standing_orders'
  | 'scheduled_payments';

/** One of these permissions, and all of those. */
interface Needed {
  readonly one_of: readonly Permission[];
  readonly all_of?: readonly Permission[];
}

/**
 * What each resource needs besides `accounts`, which every resource needs (service specification
 * 4.5). Transactions need both sides (decision: consents): a list of only one would be mistaken for
 * all that was booked.
 */
const needed: Readonly<Record<ReadableResource, Needed>> = {
  accounts: { one_of: ['ReadAccountsBasic', 'ReadAccountsDetail'] },
  balances: { one_of: ['ReadBalances'] },
  transactions: {
    one_of: ['ReadTransactionsBasic', 'ReadTransactionsDetail'],
    all_of: ['ReadTransactionsCredits', 'ReadTransactionsDebits'],
  },
  direct_debits: { one_of: ['ReadDirectDebits'] },
  standing_orders: { one_of: ['ReadStandingOrdersBasic', 'ReadStandingOrdersDetail'] },
  scheduled_payments: { one_of: ['ReadScheduledPaymentsBasic', 'ReadScheduledPaymentsDetail'] },
};

/** What the resource itself needs, in words, unless these permissions have it; then null. */
export function missingPermissions(granted: readonly Permission[], resource: ReadableResource): string | null {
  const { one_of, all_of = [] } = needed[resource];
  const has = (permission: Permission): boolean => granted.includes(permission);
  if (one_of.some(has) && all_of.every(has)) return null;
  return one_of.join(' or ') + (all_of.length === 0 ? '' : `, with both ${all_of.join(' and ')}`);
}

/**
 * Reads the permissions of a request (decision: consents): each once, in the order of the request,
 * in the spelling of the standard. Reports an empty list, each unknown or unsupported one by its
 * place, and each rule that they break together.
 */
export function readPermissions(body: RequestBody, items: readonly unknown[], path: string): readonly Permission[] {
  if (items.length === 0) {
    body.add('UK.OBIE.Field.Invalid', path, `${path} must name at least one permission`);
    return [];
  }
  const granted = new Set<Permission>();
  let is_known = true;
  for (const [at, item] of items.entries()) {
    const permission = typeof item === 'string' ? toPermission(item) : null;
    if (permission === null) {
      is_known = false;
      body.add('UK.OBIE.Field.Invalid', `${path}[${at}]`, `${path}[${at}] ${describeForeign(item)}`);
    } else {
      granted.add(permission);
    }
  }
  // What is unknown could be a misspelling of what a rule would miss.
  if (!is_known) return [];
  const asked = [...granted];
  for (const resource of resourcesToRead(asked)) {
    const missing = missingPermissions(asked, resource);
    if (missing !== null) body.add('UK.OBIE.Field.Invalid', path, `${path} needs ${missing}`);
  }
  return asked;
}

/** What these permissions must suffice to read. Part of those of transactions alone grants nothing. */
function resourcesToRead(asked: readonly Permission[]): readonly ReadableResource[] {
  const { one_of, all_of = [] } = needed.transactions;
  const of_transactions = [...one_of, ...all_of];
  return asked.some((permission) => of_transactions.includes(permission)) ? ['accounts', 'transactions'] : ['accounts'];
}

function describeForeign(item: unknown): string {
  const is_unsupported = unsupported_permissions.some((name) => name === item);
  const shown = showValue(typeof item === 'string' ? item.toWellFormed() : item);
  if (is_unsupported) return `is ${shown}, which this service does not support`;
  return `must be one of ${permissions.join(', ')}, not ${shown}`;
}

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
