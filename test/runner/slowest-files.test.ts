import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FileTime, slowestFilesText } from './slowest-files.ts';

const failing_run = fileURLToPath(new URL('fixtures/failing-run.ts', import.meta.url));

test('each file of a run has a time', async () => {
  // The run is a separate process, because a test process starts no runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', failing_run], { env });
  const { times }: { times: FileTime[] } = JSON.parse(stdout);
  assert.deepEqual(times.map(({ file }) => file).sort(), [
    'test/runner/fixtures/broken.ts',
    'test/runner/fixtures/failing.ts',
  ]);
  assert.ok(times.every(({ duration_ms }) => duration_ms > 0));
});

test('the slowest files are listed, the longest first, and no more than twelve', () => {
  const times = Array.from({ length: 20 }, (_, at) => ({ file: `${at}.test.ts`, duration_ms: at * 1_500 }));
  const [title, first, second, ...others] = slowestFilesText(times).split('\n');
  assert.equal(title, 'The slowest files:');
  assert.deepEqual([first, second], ['    28.5 s  19.test.ts', '    27.0 s  18.test.ts']);
  assert.equal(others.length, 10);
});
