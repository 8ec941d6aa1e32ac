/** The most requests in progress unless configured otherwise. */
export const requests_max_default = 512;

/**
 * Bounds the requests in progress, because each waits for those before it (ADR 0020). A request is
 * in progress from the end of its body to its answer, so that a slow sender takes no place.
 */
export interface Admission {
  /** Whether a further request would be one too many. */
  isFull(): boolean;
  /** Counts a request while `work` runs. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** An admission of `requests_max` requests at a time. */
export function createAdmission(requests_max: number): Admission {
  let in_progress = 0;
  return {
    isFull: () => in_progress >= requests_max,
    async during(work) {
      in_progress += 1;
      try {
        return await work();
      } finally {
        in_progress -= 1;
      }
    },
  };
}
