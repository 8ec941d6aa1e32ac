import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { durationText, slowestFilesText, wrap } from './report.ts';
import { estimatedSeconds, type FileTime, type RecordedTimes, withTimes } from './times.ts';

test('a text is wrapped at 80 columns between words', () => {
  const text = wrap(`NOT RUN: ${'everything on Postgres, '.repeat(8)}`.trim());
  assert.ok(text.split('\n').length > 2);
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
  assert.equal(text.replaceAll('\n  ', ' '), `NOT RUN: ${'everything on Postgres, '.repeat(8)}`.trim());
  assert.equal(wrap('short'), 'short');
});

test('a duration is in seconds up to a minute, then in minutes and seconds', () => {
  assert.deepEqual([0.2, 45.4, 110].map(durationText), ['1 s', '45 s', '1 min 50 s']);
});

test('the slowest files are listed, the longest first, and no more than twelve', () => {
  const times = Array.from({ length: 20 }, (_, at) => ({
    file: `${at}.test.ts`,
    elapsed_s: at * 2,
    processor_s: at === 19 ? null : at * 1.5,
  }));
  const [title, columns, first, second, ...others] = slowestFilesText(times).split('\n');
  assert.deepEqual([title, columns], ['The slowest files:', 'processor  elapsed']);
  assert.deepEqual([first, second], ['        -   38.0 s  19.test.ts', '   27.0 s   36.0 s  18.test.ts']);
  assert.equal(others.length, 10);
});

const failing_run = fileURLToPath(new URL('fixtures/failing-run.ts', import.meta.url));

test('each file of a run has a time, with the processor time of its process unless that was killed', async () => {
  // The run is a separate process, because a test process starts no runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', failing_run], { env });
  const { times }: { times: FileTime[] } = JSON.parse(stdout);
  assert.ok(times.every(({ elapsed_s }) => elapsed_s > 0));
  assert.deepEqual(Object.fromEntries(times.map(({ file, processor_s }) => [file, (processor_s ?? 0) > 0])), {
    'test/runner/fixtures/broken.ts': true,
    'test/runner/fixtures/failing.ts': true,
    'test/runner/fixtures/killed.ts': false,
  });
});

const cores = Math.min(availableParallelism(), 4);
const recorded: RecordedTimes = {
  runs: { short: { elapsed_s: 100, cores } },
  files: { 'a.test.ts': { short: 30 }, 'b.test.ts': { short: 10, full: 90 }, 'c.test.ts': { full: 60 } },
};

test('a run is expected to take its share of the recorded run', () => {
  assert.equal(estimatedSeconds(recorded, ['a.test.ts', 'b.test.ts'], 'short'), 100);
  assert.equal(estimatedSeconds(recorded, ['b.test.ts'], 'short'), 25);
  assert.equal(estimatedSeconds(recorded, ['b.test.ts'], 'full'), null);
  assert.equal(estimatedSeconds(recorded, ['b.test.ts'], 'long'), null);
});

test('a recorded run changes the times of its files, and forgets files that no longer exist', () => {
  const times = [{ file: 'b.test.ts', elapsed_s: 20, processor_s: 12.34 }];
  assert.deepEqual(withTimes(recorded, 'short', times, ['b.test.ts', 'c.test.ts', 'd.test.ts'], null), {
    runs: recorded.runs,
    files: { 'b.test.ts': { short: 12.3, full: 90 }, 'c.test.ts': { full: 60 }, 'd.test.ts': {} },
  });
  const { runs } = withTimes(recorded, 'full', times, ['b.test.ts'], 590.4);
  assert.deepEqual(runs, { ...recorded.runs, full: { elapsed_s: 590, cores: availableParallelism() } });
});
