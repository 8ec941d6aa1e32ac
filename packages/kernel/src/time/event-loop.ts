import type { Timers } from './timers.ts';

/** How long work holds the event loop before it gives way, milliseconds. */
export const turn_work_ms_max = 5;

/**
 * Called between the steps of a loop over what a caller sent. Resolves in the next turn when the
 * present one has lasted for `turn_work_ms_max`. Undefined before, so that a loop of many short steps
 * does not pay for promises.
 */
export type GiveWay = () => Promise<void> | undefined;

type Turns = Pick<Timers, 'monotonicNow' | 'nextTurn'>;

const shared = new WeakMap<Turns, GiveWay>();

/**
 * One for all work with the same timers, which shares the turns: several loops that go on in the
 * same turn hold it no longer than one. A turn begins for it with the first call in it.
 */
export function giveWayWith(timers: Turns): GiveWay {
  const giveWay = shared.get(timers) ?? createGiveWay(timers);
  shared.set(timers, giveWay);
  return giveWay;
}

function createGiveWay({ monotonicNow, nextTurn }: Turns): GiveWay {
  let began_ms: number | null = null;

  function noteTurn(): number {
    if (began_ms === null) {
      began_ms = monotonicNow();
      void nextTurn().then(() => {
        began_ms = null;
      });
    }
    return began_ms;
  }

  return () => {
    if (monotonicNow() - noteTurn() < turn_work_ms_max) return undefined;
    return nextTurn().then(() => void noteTurn());
  };
}

/** Long work, each step of which ends with a yield. A step is short: it is not interrupted. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does the steps, and gives way between them. */
export async function inTurns<Result>(steps: Steps<Result>, giveWay: GiveWay): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const later = giveWay();
    if (later !== undefined) await later;
  }
}
