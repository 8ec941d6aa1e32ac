/** The most requests in progress unless configured otherwise. */
export const requests_max_default = 512;

/**
 * Bounds the requests in progress, because each waits for those before it (ADR 0020). A request is
 * in progress from the end of its body to its answer, so that a slow sender takes no place. One
 * owner (a company; for other keys: the key) has at most as many as are still free (ADR 0030).
 */
export interface Admission {
  /** Whether a further request would be one too many. */
  isFull(): boolean;
  /** The same for a request of the owner. Null: its owner is not bounded. */
  isFullFor(owner: string | null): boolean;
  /** Counts a request while `work` runs. */
  during<Result>(owner: string | null, work: () => Promise<Result>): Promise<Result>;
}

/** An admission of `requests_max` requests at a time. */
export function createAdmission(requests_max: number): Admission {
  const in_progress_of = new Map<string, number>();
  let in_progress = 0;

  function count(owner: string | null, change: 1 | -1): void {
    in_progress += change;
    if (owner === null) return;
    const of_owner = (in_progress_of.get(owner) ?? 0) + change;
    if (of_owner === 0) in_progress_of.delete(owner);
    else in_progress_of.set(owner, of_owner);
  }

  return {
    isFull: () => in_progress >= requests_max,
    isFullFor: (owner) => {
      const of_owner = owner === null ? 0 : (in_progress_of.get(owner) ?? 0);
      return of_owner >= requests_max - in_progress;
    },
    async during(owner, work) {
      count(owner, 1);
      try {
        return await work();
      } finally {
        count(owner, -1);
      }
    },
  };
}
