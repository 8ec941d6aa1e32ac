/**
 * What long work needs of the event loop (ADR 0054). Packages have neither clock nor timers: an app
 * or an adapter passes it in.
 */
export interface EventLoop {
  /** Milliseconds since a fixed origin, never going back. */
  readonly monotonicNow: () => number;
  /** Resolves in the next turn: what has arrived meanwhile is read first. */
  readonly nextTurn: () => Promise<void>;
}

/** How long work holds the event loop before it gives way, milliseconds. */
export const turn_work_ms_max = 5;

/**
 * Called between the steps of a loop over what a caller sent. Resolves in the next turn when
 * `turn_work_ms_max` have passed since the last one. Undefined before, so that a loop of many short
 * steps does not pay for promises.
 */
export type GiveWay = () => Promise<void> | undefined;

/** The work begins now. */
export function createGiveWay({ monotonicNow, nextTurn }: EventLoop): GiveWay {
  let began_ms = monotonicNow();
  return () => {
    if (monotonicNow() - began_ms < turn_work_ms_max) return undefined;
    return nextTurn().then(() => {
      began_ms = monotonicNow();
    });
  };
}
