import { createSettleBy } from '@tallystick/kernel';

/** `SettleBy` with the timers of Node. */
export const settleBy = createSettleBy((ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
});
