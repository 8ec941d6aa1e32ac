import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const failing_run = fileURLToPath(new URL('fixtures/failing-run.ts', import.meta.url));

test('lists each test that failed once, with the suites around it, its place and a command that runs it', async () => {
  // The run is a separate process, because a test process starts no runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', failing_run], { env });
  assert.equal(
    JSON.parse(stdout).failures,
    `FAILED: 9 tests

  1. a suite > within a suite > fails
     at test/runner/fixtures/failing.ts:8:5
     AssertionError: Expected values to be strictly equal: 1 !== 2
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  2. a suite with a hook that fails
     at test/runner/fixtures/failing.ts:13:1
     no database
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  3. alone
     at test/runner/fixtures/failing.ts:20:1
     TypeError: not a card
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  4. with a difference
     at test/runner/fixtures/failing.ts:24:1
     AssertionError: Expected values to be strictly deep-equal: +   two: 2
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  5. a suite that waits > fails after its hook
     at test/runner/fixtures/failing.ts:35:3
     AssertionError: Expected values to be strictly equal: true !== false
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  6. with a rejection that nothing awaits
     at test/runner/fixtures/failing.ts:38:1
     nobody listens
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  7. with an error of a timer
     at test/runner/fixtures/failing.ts:44:1
     too late
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  8. test/runner/fixtures/broken.ts
     at test/runner/fixtures/broken.ts
     Error: this file cannot be loaded
     npm test -- --only test/runner/fixtures/broken.ts --seed 7

  9. test/runner/fixtures/killed.ts
     at test/runner/fixtures/killed.ts
     SIGKILL
     npm test -- --only test/runner/fixtures/killed.ts --seed 7`,
  );
});
