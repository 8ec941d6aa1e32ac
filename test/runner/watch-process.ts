/**
 * Loaded before each test file. When the process ends, it writes the processor time that it and its
 * child processes took to the folder in `TALLYSTICK_TEST_TIMES`. A process in which no test begins for
 * `TALLYSTICK_TEST_MINUTES` hangs: it ends with what keeps it alive, so that the run goes on and
 * names it.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** The unit of processor times in `/proc`, on every Linux. */
const ticks_per_s = 100;

/** `node:test` runs a test to its end after these signals; a stopped run is to stop at once. */
const stop_signals = ['SIGINT', 'SIGTERM'] as const;

const minutes = Number(process.env.TALLYSTICK_TEST_MINUTES ?? Number.NaN);
const folder = process.env.TALLYSTICK_TEST_TIMES;
if (isMainThread && minutes > 0) {
  const limit = setTimeout(end, minutes * 60_000).unref();
  tracingChannel('node.test').start.subscribe(() => limit.refresh());
}
if (isMainThread && folder !== undefined) process.once('exit', () => record(folder));
if (isMainThread) for (const signal of stop_signals) process.once(signal, () => process.exit(130));

function end(): void {
  const alive = process.getActiveResourcesInfo().join(', ') || 'nothing';
  console.error(`Error: no test began for ${minutes} minutes; what keeps it alive: ${alive}`);
  process.exit(1);
}

function record(into: string): void {
  const time = { file: process.argv[1], processor_s: processorSeconds() };
  try {
    writeFileSync(join(into, `${process.pid}.json`), JSON.stringify(time));
  } catch {
    // The runner was stopped and has removed the folder.
  }
}

/** With that of the child processes that have ended, where the system reports it. */
function processorSeconds(): number {
  try {
    const [, after_name = ''] = readFileSync('/proc/self/stat', 'utf8').split(/\) (?!.*\) )/s);
    // utime, stime, cutime and cstime are the fields 14 to 17; the text after the name begins with field 3.
    const ticks = after_name.split(' ').slice(11, 15);
    return ticks.reduce((sum, one) => sum + Number(one), 0) / ticks_per_s;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
