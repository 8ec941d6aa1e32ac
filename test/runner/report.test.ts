import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText, slowestFilesText, wrap } from './report.ts';

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
