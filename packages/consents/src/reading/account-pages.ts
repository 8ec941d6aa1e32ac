import type { BankAccount } from '@tallystick/accounts';
import { invalidQuery, type TwoWayPage, type TwoWayPageRequest } from '@tallystick/kernel';

const list = 'granted_accounts';

/**
 * A page of accounts that are ordered by rising number. A cursor holds a number and a direction, so
 * that a page stays right when accounts before it are no longer viewed.
 */
export function pageOfAccounts(
  accounts: readonly BankAccount[],
  { limit, cursor }: TwoWayPageRequest,
): TwoWayPage<BankAccount> {
  const place = cursor === undefined ? null : decode(cursor);
  const first = firstOf(accounts, place, limit);
  const items = accounts.slice(first, first + limit);
  const has_next = first + limit < accounts.length;
  return {
    items,
    next: has_next ? encode('after', items.at(-1)!.number) : null,
    prev: first > 0 && items.length > 0 ? encode('before', items[0]!.number) : null,
  };
}

type Direction = 'after' | 'before';

interface Place {
  readonly direction: Direction;
  readonly number: string;
}

/** The index of the first account of the page. */
function firstOf(accounts: readonly BankAccount[], place: Place | null, limit: number): number {
  if (place === null) return 0;
  const { direction, number } = place;
  if (direction === 'after') {
    const following = accounts.findIndex((account) => account.number > number);
    return following === -1 ? accounts.length : following;
  }
  const before = accounts.filter((account) => account.number < number).length;
  return Math.max(0, before - limit);
}

function encode(direction: Direction, number: string): string {
  const text = [list, direction, number].join(' ');
  return new TextEncoder().encode(text).toBase64({ alphabet: 'base64url', omitPadding: true });
}

function decode(cursor: string): Place {
  const [, direction, number] = textOf(cursor).split(' ');
  const is_place = (direction === 'after' || direction === 'before') && number !== undefined;
  if (!is_place || encode(direction, number) !== cursor) {
    throw invalidQuery({ path: 'page', message: 'must be the cursor of another page of this list' });
  }
  return { direction, number };
}

function textOf(cursor: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(cursor, { alphabet: 'base64url' }));
  } catch {
    return '';
  }
}
