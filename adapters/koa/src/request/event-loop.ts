import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGiveWay } from '@tallystick/kernel';

/** Gives way in the event loop of this process. */
export const giveWay = createGiveWay({ monotonicNow: () => performance.now(), nextTurn: () => nextTurn() });
