import assert from 'node:assert/strict';
import { run, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { failuresOf, failuresText } from './failures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('lists each test that failed once, with the suites around it, its place and a command that runs it', async () => {
  const files = ['failing', 'broken'].map((name) => `${root}test/runner/fixtures/${name}.ts`);
  // A test process does not start a runner of its own unless this variable is gone.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const tests = run({ files, execArgv: ['--conditions=source'], env });
  const failures = failuresOf(tests, root);
  for await (const _event of tests);
  assert.equal(
    failuresText(failures, 7),
    `FAILED: 4 tests

  1. a suite > within a suite > fails
     at test/runner/fixtures/failing.ts:7:5
     AssertionError: one is not two
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  2. a suite with a hook that fails
     at test/runner/fixtures/failing.ts:12:1
     no database
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  3. alone
     at test/runner/fixtures/failing.ts:19:1
     TypeError: not a card
     npm test -- --only test/runner/fixtures/failing.ts --seed 7

  4. test/runner/fixtures/broken.ts
     at test/runner/fixtures/broken.ts
     Error: this file cannot be loaded
     npm test -- --only test/runner/fixtures/broken.ts --seed 7`,
  );
});
