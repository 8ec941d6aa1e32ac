/**
 * What one process shares between companies (for other keys: between keys). One owner may begin to
 * take more while it has less than is still free: one alone has half, two have a third each, and
 * something is left for the next (ADR 0030).
 */
export interface FairShare {
  readonly taken: number;
  /**
   * Whether the owner may take the amount: as if it took one after another, and the last one is
   * allowed. Null: the owner is not bounded.
   */
  mayTake(owner: string | null, amount?: number): boolean;
  take(owner: string | null, amount?: number): void;
  release(owner: string | null, amount?: number): void;
}

/** Shares of `max` in all. */
export function createFairShare(max: number): FairShare {
  const taken_by = new Map<string, number>();
  let taken = 0;

  function change(owner: string | null, amount: number): void {
    taken += amount;
    if (owner === null) return;
    const of_owner = (taken_by.get(owner) ?? 0) + amount;
    if (of_owner === 0) taken_by.delete(owner);
    else taken_by.set(owner, of_owner);
  }

  return {
    get taken() {
      return taken;
    },
    mayTake(owner, amount = 1) {
      const free = max - taken;
      if (owner === null) return amount <= free;
      const before_last = amount - 1;
      return (taken_by.get(owner) ?? 0) + before_last < free - before_last;
    },
    take: (owner, amount = 1) => change(owner, amount),
    release: (owner, amount = 1) => change(owner, -amount),
  };
}
