import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkModel, httpSystem, type ModelRun, runModel } from '@tallystick/harness';
import { full_run, isExpected, python, test_seed, testRuns } from '@tallystick/test-support';
import { startPythonServer } from './python-server.ts';

/** The server knows requests and reversals, and takes each card that is asked for. */
const promised: Pick<ModelRun, 'messages' | 'commands'> = {
  messages: { include: ['request', 'verification'] },
  commands: {
    exclude: [
      'create flawed card',
      'guess a code',
      'increase after the end of the window',
      'reverse before the original',
    ],
  },
};

describe('a server in Python, over HTTP', { skip: !isExpected(python) && 'no Python on this machine' }, () => {
  test('agrees with the model', async () => {
    const server = await startPythonServer();
    try {
      const runs = testRuns({ short: 100, full: 300 });
      const { coverage } = await runModel({ ...promised, system: httpSystem(server.url), runs, seed: test_seed });
      for (const code of ['K', 'A', 'C', 'D', 'M', 'J', 'E', 'G', 'F', 'V'] as const) {
        assert.ok(coverage.reasons[code]! > 0 || runs < 100, `no message was answered with ${code}`);
      }
    } finally {
      await server.close();
    }
  });

  /** What is drawn to find each: about every 30th sequence shows it, or more. */
  const bugs: Readonly<Record<string, Pick<ModelRun, 'messages' | 'commands'>>> = {
    window_boundary: { messages: { include: ['request'] }, commands: { include: ['authorize', 'move the clock'] } },
    duplicate: promised,
    balance: promised,
  };

  for (const [bug, drawn] of Object.entries(bugs)) {
    test(`is caught with a planted bug: ${bug}`, async (t) => {
      const server = await startPythonServer(bug);
      try {
        const system = httpSystem(server.url);
        // Shrinking sends some thousand requests.
        const result = await checkModel({
          ...drawn,
          system,
          runs: 500,
          seed: 1,
          ...(full_run ? {} : { shrink_sequences_max: 0 }),
        });
        assert.ok(result.failed, 'no difference was found');
        t.diagnostic(`run ${result.runs}, ${result.steps.length} steps: ${result.report?.split('\n', 4).join('\n')}`);
        assert.ok(!full_run || result.steps.length <= 8, `the sequence was not shrunk: ${result.steps.join('\n')}`);
      } finally {
        await server.close();
      }
    });
  }

  test('is caught when it decides two messages at the same time on one balance', async () => {
    const server = await startPythonServer('race');
    try {
      // About every fifth sequence of races shows it. Another run may decide the messages one after
      // another, so a sequence that shows it is not shrunk.
      const { report } = await checkModel({
        messages: { include: ['request'] },
        commands: { include: ['race'] },
        system: httpSystem(server.url),
        runs: 100,
        seed: 1,
        shrink_sequences_max: 0,
      });
      assert.match(report ?? '', /no order of \d operations that were submitted together explains/);
    } finally {
      await server.close();
    }
  });
});
