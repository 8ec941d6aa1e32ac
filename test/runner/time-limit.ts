/**
 * Loaded before each test file: a file that takes more than `TALLYSTICK_TEST_MINUTES` hangs. It
 * ends with what keeps it alive, so that the run goes on and names it.
 */
import { isMainThread } from 'node:worker_threads';

const minutes = Number(process.env.TALLYSTICK_TEST_MINUTES ?? Number.NaN);
if (isMainThread && minutes > 0) setTimeout(end, minutes * 60_000).unref();

function end(): void {
  const alive = process.getActiveResourcesInfo().join(', ') || 'nothing';
  console.error(`Error: not ended after ${minutes} minutes; what keeps it alive: ${alive}`);
  process.exit(1);
}
