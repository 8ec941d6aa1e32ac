import { setTimeout as delay } from 'node:timers/promises';

/** How often a test looks, milliseconds. A loop without a pause takes a core from what it waits for. */
const look_every_ms = 5;

/** Resolves when the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(look_every_ms);
}
