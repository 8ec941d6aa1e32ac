/**
 * Runs the test files of its command line in this process, one after another, and stops at the first
 * test that fails. Writes the outcome to the file descriptor 3, as JSON.
 */

import { writeSync } from 'node:fs';
import { run } from 'node:test';

/** What a process of tests writes. */
export interface Written {
  readonly processor_s: number;
  readonly passed: boolean;
  /** The test that failed first. */
  readonly failed: string | null;
}

/** A process hangs that has used no processor time for so many seconds. */
const idle_seconds_max = 30;
const idle_processor_us = 20_000;

let passed = false;
let failed: string | null = null;

const tests = run({ files: process.argv.slice(2), isolation: 'none' });
tests.on('test:fail', ({ name, file, todo }) => {
  if (todo === undefined || todo === false) fail(`${name} (${file ?? 'no file'})`);
});
tests.on('error', (error) => fail(String(error)));
tests.on('end', () => {
  passed = failed === null;
  process.exit(passed ? 0 : 1);
});
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const written: Written = { processor_s: (user + system) / 1e6, passed, failed };
  writeSync(3, JSON.stringify(written));
});
watchForHang();
tests.resume();

function fail(what: string): void {
  failed ??= what;
  process.exit(1);
}

function watchForHang(): void {
  let idle_s = 0;
  let before = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    idle_s = user + system < idle_processor_us ? idle_s + 1 : 0;
    if (idle_s >= idle_seconds_max) fail('hangs');
  }, 1_000).unref();
}
