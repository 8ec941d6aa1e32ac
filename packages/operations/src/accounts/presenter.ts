import type { Account } from '@tallystick/accounts';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { account } from './shapes.ts';

/** An account as the bank sees it. Its id is its number. */
export function presentAccount(found: Account) {
  return showAs(account, {
    ...found,
    id: found.number,
    created_at: toInstantText(found.created_at_ms),
    type: 'account',
    url: `/bank/v1/accounts/${found.number}`,
  });
}
