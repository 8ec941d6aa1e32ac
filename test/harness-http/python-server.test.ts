import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CommandName, checkModel, httpSystem, runModel } from '@tallystick/harness';
import { isExpected, python, test_seed, testRuns } from '@tallystick/test-support';
import { startPythonServer } from './python-server.ts';

/** What the server does not promise: it takes each request for a valid one. */
const exclude: readonly CommandName[] = ['create flawed card'];

describe('a server in Python, over HTTP', { skip: !isExpected(python) && 'no Python on this machine' }, () => {
  test('agrees with the model', async () => {
    const server = await startPythonServer();
    try {
      await runModel({
        system: httpSystem(server.url),
        runs: testRuns({ short: 100, full: 300 }),
        seed: test_seed,
        commands: { exclude },
      });
    } finally {
      await server.close();
    }
  });

  for (const bug of ['window_boundary', 'duplicate', 'balance']) {
    test(`is caught with a planted bug: ${bug}`, async (t) => {
      const server = await startPythonServer(bug);
      try {
        const result = await checkModel({ system: httpSystem(server.url), runs: 100, seed: 1, commands: { exclude } });
        t.diagnostic(`run ${result.runs}, ${result.steps.length} steps: ${result.report?.split('\n', 4).join('\n')}`);
        assert.ok(result.failed, 'no difference was found');
        assert.ok(result.steps.length <= 6, `the sequence was not shrunk: ${result.steps.join('\n')}`);
      } finally {
        await server.close();
      }
    });
  }
});
