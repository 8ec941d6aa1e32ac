import type { Money } from '@tallystick/kernel';

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
