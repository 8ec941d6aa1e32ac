import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLoop } from '@tallystick/kernel';

/** The event loop of this process. */
export const event_loop: EventLoop = { monotonicNow: () => performance.now(), nextTurn: () => nextTurn() };
