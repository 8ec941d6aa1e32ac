import { createFairShare } from '@tallystick/kernel';

/** The most requests in progress unless configured otherwise. */
export const requests_max_default = 512;

/**
 * Bounds the requests in progress, because each waits for those before it (ADR 0020). A request is
 * in progress from the end of its body to its answer, so a slow sender is not counted. The owner of
 * a request has a fair share of them; null: all.
 */
export interface Admission {
  /** Whether a further request of the owner would be one too many. */
  isFull(owner: string | null): boolean;
  /** Counts a request until `leave`. Throws `Overloaded`, and then it is not counted. */
  enter(owner: string | null): void;
  leave(owner: string | null): void;
  /** Counts a request while `work` runs. Rejects with `Overloaded`, and then it does not run. */
  during<Result>(owner: string | null, work: () => Promise<Result>): Promise<Result>;
}

/** An admission of `requests_max` requests at a time. */
export function createAdmission(requests_max: number): Admission {
  const share = createFairShare(requests_max);

  const enter = (owner: string | null): void => {
    if (!share.mayTake(owner)) throw new Overloaded();
    share.take(owner);
  };
  const leave = (owner: string | null): void => share.release(owner);

  return {
    isFull: (owner) => !share.mayTake(owner),
    enter,
    leave,
    async during(owner, work) {
      enter(owner);
      try {
        return await work();
      } finally {
        leave(owner);
      }
    },
  };
}

/** The request is refused because of load. The same request may succeed later. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
