import { showValue } from '@tallystick/kernel';
import { type Permission, permissions, toPermission, unsupported_permissions } from './permission.ts';
import type { RequestBody } from './request-body.ts';

/** The most items of `Permissions`. The standard has 21. */
export const permission_items_max = 100;

/** A rule about all permissions of a request: what is wrong with them, or null. */
export type PermissionRule = (granted: ReadonlySet<Permission>) => string | null;

/** Every resource needs one of the accounts permissions (service specification 4.5, rule 1). */
export const refuseWithoutAccounts: PermissionRule = (granted) =>
  granted.has('ReadAccountsBasic') || granted.has('ReadAccountsDetail')
    ? null
    : 'needs ReadAccountsBasic or ReadAccountsDetail';

/**
 * Transactions need both Credits and Debits (service specification 4.5): a list of only one side
 * would be mistaken for all that was booked.
 */
export const refuseTransactionsWithoutBothSides: PermissionRule = (granted) =>
  !readsTransactions(granted) || (granted.has('ReadTransactionsCredits') && granted.has('ReadTransactionsDebits'))
    ? null
    : 'needs both ReadTransactionsCredits and ReadTransactionsDebits with ReadTransactionsBasic or ReadTransactionsDetail';

/** Credits and Debits grant nothing without Basic or Detail. */
export const refuseSidesWithoutTransactions: PermissionRule = (granted) =>
  readsTransactions(granted) || (!granted.has('ReadTransactionsCredits') && !granted.has('ReadTransactionsDebits'))
    ? null
    : 'needs ReadTransactionsBasic or ReadTransactionsDetail with ReadTransactionsCredits or ReadTransactionsDebits';

/** In the order in which they are reported. */
export const permission_rules: readonly PermissionRule[] = [
  refuseWithoutAccounts,
  refuseTransactionsWithoutBothSides,
  refuseSidesWithoutTransactions,
];

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
  for (const rule of permission_rules) {
    const problem = rule(granted);
    if (problem !== null) body.add('UK.OBIE.Field.Invalid', path, `${path} ${problem}`);
  }
  return [...granted];
}

function readsTransactions(granted: ReadonlySet<Permission>): boolean {
  return granted.has('ReadTransactionsBasic') || granted.has('ReadTransactionsDetail');
}

function describeForeign(item: unknown): string {
  const is_unsupported = unsupported_permissions.some((name) => name === item);
  const shown = showValue(typeof item === 'string' ? item.toWellFormed() : item);
  if (is_unsupported) return `is ${shown}, which this service does not support`;
  return `must be one of ${permissions.join(', ')}, not ${shown}`;
}
