import { type Deadline, missedDeadline } from '@tallystick/kernel';

/**
 * The outcome of the work, or the fault of a missed deadline if the work is not done by then, after
 * a call of `abandon`. The deadline that the work receives has passed for certain once the caller
 * has this fault.
 */
export async function settleBy<Result>(
  deadline: Deadline | undefined,
  work: (deadline: Deadline | undefined) => Promise<Result>,
  abandon: () => void = () => {},
): Promise<Result> {
  if (deadline === undefined) return await work(undefined);
  let is_missed = false;
  const missed = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    is_missed = true;
    missed.reject(missedDeadline());
    abandon();
  }, deadline.leftMs());
  try {
    return await Promise.race([work({ leftMs: () => (is_missed ? 0 : deadline.leftMs()) }), missed.promise]);
  } finally {
    clearTimeout(timer);
  }
}
