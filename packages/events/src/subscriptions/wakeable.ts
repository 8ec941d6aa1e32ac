import type { Timers } from '@tallystick/kernel';

/** Lets a loop sleep until it is woken or stopped. */
export interface Wakeable {
  readonly is_stopped: boolean;
  /**
   * Settles like the work, or rejects when the loop must not wait for anything any more. Nothing of
   * a settled work is kept: `Promise.race` with one promise for all would keep a reaction for each.
   */
  untilAbandoned<Result>(work: Promise<Result>): Promise<Result>;
  /**
   * Resolves after the time, with false, or earlier at a wake-up or a stop, with true. Null: only
   * these end it. A wake-up since the last sleep ends it at once. With `until_stop` only a stop
   * ends it early.
   */
  sleep(ms: number | null, options?: { readonly until_stop: boolean }): Promise<boolean>;
}

export interface WakeableControl extends Wakeable {
  wake(): void;
  stop(): void;
  abandon(): void;
}

export function createWakeable(after: Timers['after']): WakeableControl {
  let is_stopped = false;
  let was_woken = false;
  let wakeSleeper: (() => void) | null = null;
  let stopSleeper: (() => void) | null = null;
  let is_abandoned = false;
  const rejectAwaited = new Set<(reason: Error) => void>();
  const stopped = (): Error => new Error('the subscription was stopped');
  return {
    get is_stopped() {
      return is_stopped;
    },
    untilAbandoned(work) {
      return new Promise((resolve, reject) => {
        if (is_abandoned) reject(stopped());
        rejectAwaited.add(reject);
        work.then(resolve, reject).finally(() => rejectAwaited.delete(reject));
      });
    },
    async sleep(ms, { until_stop } = { until_stop: false }) {
      if (is_stopped) return true;
      if (was_woken && !until_stop) {
        was_woken = false;
        return true;
      }
      return await new Promise<boolean>((resolve) => {
        const end = (is_early: boolean): void => {
          cancel();
          wakeSleeper = null;
          stopSleeper = null;
          was_woken = false;
          resolve(is_early);
        };
        const cancel = ms === null ? () => {} : after(ms, () => end(false));
        wakeSleeper = until_stop ? null : () => end(true);
        stopSleeper = () => end(true);
      });
    },
    wake() {
      was_woken = true;
      wakeSleeper?.();
    },
    stop() {
      is_stopped = true;
      stopSleeper?.();
    },
    abandon() {
      is_abandoned = true;
      for (const reject of rejectAwaited) reject(stopped());
    },
  };
}
