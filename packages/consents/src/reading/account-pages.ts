import type { BankAccount } from '@tallystick/accounts';
import { pageStart, type TwoWayList, type TwoWayPage, type TwoWayPageRequest, twoWayPage } from '@tallystick/kernel';

const granted_accounts: TwoWayList = { list: 'granted_accounts', parts: ['name'] };

/**
 * A page of accounts that are ordered by rising number. A cursor holds a number, so that a page
 * stays right when accounts before it are no longer viewed.
 */
export function pageOfAccounts(accounts: readonly BankAccount[], request: TwoWayPageRequest): TwoWayPage<BankAccount> {
  const start = pageStart(granted_accounts, request);
  const rows = rowsFrom(accounts, start).slice(0, request.limit + 1);
  return twoWayPage(granted_accounts, start, rows, request.limit, ({ number }) => [number]);
}

function rowsFrom(accounts: readonly BankAccount[], start: ReturnType<typeof pageStart>): readonly BankAccount[] {
  if (start === null) return accounts;
  const number = String(start.place[0]);
  if (start.direction === 'next') return accounts.filter((account) => account.number > number);
  return accounts.filter((account) => account.number < number).toReversed();
}
