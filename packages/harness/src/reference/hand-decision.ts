import type { Purchase } from './purchase.ts';

/** What a person decided about a clearing: that it belongs to a purchase, or that it does not. */
export interface HandDecision {
  readonly purchase: Purchase;
  readonly belongs: boolean;
}

interface Decided {
  /** Oldest first. */
  readonly decisions: readonly HandDecision[];
}

/** The purchase to which a person matched the clearing. Only the newest decision can be a match. */
export function chosenByHand({ decisions }: Decided): Purchase | null {
  const newest = decisions.at(-1);
  return newest?.belongs ? newest.purchase : null;
}

/** Whether a person took the clearing from this purchase, and did not match it again. */
export function isTakenFrom({ decisions }: Decided, purchase: Purchase): boolean {
  return decisions.findLast((decision) => decision.purchase === purchase)?.belongs === false;
}
