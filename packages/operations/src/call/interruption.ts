/** Ends the wait for the next piece of a body when something else happens first. */
export interface Interruption {
  /** Rejects what is awaited now and what is awaited later. The first reason counts. */
  interrupt(reason: Error): void;
  /**
   * Settles like `work`, or rejects when it is interrupted before. One work at a time. Nothing of a
   * settled work is kept: `Promise.race` with one promise for all would keep a reaction for each.
   */
  during<Result>(work: Promise<Result>): Promise<Result>;
}

/** Has not been interrupted yet. */
export function createInterruption(): Interruption {
  let interrupted: Error | null = null;
  let rejectAwaited: ((reason: Error) => void) | null = null;
  return {
    interrupt(reason) {
      interrupted ??= reason;
      rejectAwaited?.(interrupted);
    },
    during(work) {
      return new Promise((resolve, reject) => {
        work.then(resolve, reject);
        rejectAwaited = reject;
        if (interrupted !== null) reject(interrupted);
      });
    },
  };
}
