import { type Money, money } from '@tallystick/kernel';
import type { Account } from '../account.ts';

/** The balance of an account, in its currency. A debt is negative. */
export interface AccountBalance {
  readonly account_id: number;
  /** InterimBooked. */
  readonly booked: Money;
  /** What is available of the holder's own funds, without the credit line. */
  readonly available: Money;
  /** The credit line that comes on top of `available`; null: none. Never negative. */
  readonly credit_line: Money | null;
  readonly as_of_ms: number;
}

/**
 * The balance of an account from what the bank reported (null: nothing) and from its last
 * statement: the one that is later. A statement has the balance at the end of its day, and leaves
 * the credit line as it was reported. Without either the balance is 0.
 */
export function currentBalance(
  { id, created_at_ms, last_statement }: Pick<Account, 'id' | 'created_at_ms' | 'last_statement'>,
  reported: AccountBalance | null,
): AccountBalance {
  const credit_line = reported?.credit_line ?? null;
  if (last_statement !== null) {
    const as_of_ms = endOfDay(last_statement.as_of);
    if (reported === null || as_of_ms > reported.as_of_ms) {
      return balanceOf(id, last_statement.balance, credit_line, as_of_ms);
    }
  }
  return reported ?? balanceOf(id, money(0), null, created_at_ms);
}

function balanceOf(account_id: number, booked: Money, credit_line: Money | null, as_of_ms: number): AccountBalance {
  return { account_id, booked, available: booked, credit_line, as_of_ms };
}

/** The midnight (UTC) after a date. */
function endOfDay(date: string): number {
  return Temporal.PlainDate.from(date).add({ days: 1 }).toZonedDateTime('UTC').epochMilliseconds;
}
