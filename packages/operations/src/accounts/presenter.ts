import type { Account, StatementEnd } from '@tallystick/accounts';
import { toInstantText } from '@tallystick/kernel';

/** An account as the bank sees it. Its id is its number. */
export function presentAccount(account: Account) {
  return {
    id: account.number,
    company_id: account.company_id,
    number: account.number,
    currency: account.currency,
    kind: account.kind,
    name: account.name,
    first_statement: presentEnd(account.first_statement),
    last_statement: presentEnd(account.last_statement),
    created_at: toInstantText(account.created_at_ms),
    type: 'account' as const,
    url: `/bank/v1/accounts/${account.number}`,
  };
}

function presentEnd(end: StatementEnd | null) {
  return end === null ? null : { as_of: end.as_of, balance: end.balance as number };
}
