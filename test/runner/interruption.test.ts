import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The first one takes longer than all others together. */
const files = [
  'test/model/model.test.ts',
  'test/model/retention.test.ts',
  'test/package-lock.test.ts',
  'test/runner/report.test.ts',
  'test/bench/measure.test.ts',
  'test/generate/declarations.test.ts',
];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a run that ${signal} stops tells how many files were not run, and fails`, async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const words = ['--conditions=source', `${root}test/run.ts`, '--concurrency', '3'];
    const only = files.flatMap((file) => ['--only', file]);
    const run = spawn(process.execPath, [...words, ...only], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    const code = await new Promise((resolve) => {
      run.stdout.on('data', (chunk: Buffer) => {
        const first_file_has_ended = !output.includes('\nok ');
        output += chunk.toString();
        if (first_file_has_ended && output.includes('\nok ')) run.kill(signal);
      });
      run.once('close', resolve);
    });
    assert.equal(code, 1, output);
    const [, ended, left] =
      new RegExp(`INTERRUPTED by ${signal}: (\\d+) test files? ended, (\\d+) not run\\.`).exec(output) ?? [];
    assert.equal(Number(ended) + Number(left), files.length, output);
    assert.ok(Number(ended) >= 1 && Number(left) >= 1, output);
    assert.ok(!output.includes('FAIL') && !output.includes('passed'), output);
    assert.match(output, /^The short run: 6 of \d+ test files/);
  });
}
