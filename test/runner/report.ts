import { relative } from 'node:path';
import type { TestsStream } from 'node:test';
import { inspect, stripVTControlCharacters } from 'node:util';
import { repeating } from './failures.ts';
import type { FileTime } from './times.ts';

/** The width of everything that the runner itself prints, columns. */
const columns = 80;

/** The most files of which each test is printed. */
const files_in_detail_max = 5;

/** The most files in the list of the slowest. */
const listed_max = 12;

/** Returns the text in lines of at most 80 columns. Lines after the first begin with `indent`. */
export function wrap(text: string, indent = '  '): string {
  const [start = ''] = /^\s*/.exec(text) ?? [];
  const lines = [''];
  let line = start;
  for (const word of text.slice(start.length).split(' ')) {
    const is_empty = line.trim() === '';
    if (!is_empty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent + word;
    } else line = is_empty ? line + word : `${line} ${word}`;
  }
  return [...lines.slice(1), line].join('\n');
}

/** Returns a duration in words: `45 s`, `1 min 50 s`. */
export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** What `printProgress` knows of a run. */
export interface Progress {
  readonly root: string;
  /** The test files of a process, by the path of its program. */
  readonly namesOf: (path: string) => readonly string[];
  readonly files_count: number;
  /** After it nothing is printed: the processes that it ends did not fail. */
  readonly interruption: AbortSignal;
}

/**
 * Prints the progress of a run: each file when it has ended, each test when only a few files run,
 * and the whole error of each failed test.
 */
export function printProgress(tests: TestsStream, { root, namesOf, files_count, interruption }: Progress): void {
  const in_detail = files_count <= files_in_detail_max;
  let ended = 0;
  const output = new Map<string, string>();
  const failed = new Set<string>();
  for (const stream of ['test:stdout', 'test:stderr'] as const) {
    tests.on(stream, ({ file, message }) => output.set(file, (output.get(file) ?? '') + message));
  }
  const isFile = ({ name, file }: { readonly name: string; readonly file?: string }) => name === file;
  tests.on('test:complete', (test) => {
    if (!isFile(test) || interruption.aborted) return;
    const names = namesOf(test.name);
    ended += names.length;
    const mark = test.details.passed ? 'ok  ' : 'FAIL';
    const first = `${mark} ${(test.details.duration_ms / 1000).toFixed(1).padStart(6)} s `;
    const what = names.length === 1 ? (names[0] as string) : `${names.length} files from ${names[0]}`;
    if (!in_detail) console.log(wrap(`${first} ${what} (${ended}/${files_count})`, ' '.repeat(14)));
    const written = output.get(test.name) ?? '';
    if (written !== '' && (in_detail || !test.details.passed)) console.log(written.trimEnd());
  });
  const suites: { readonly name: string; printed: boolean }[] = [];
  tests.on('test:start', ({ name, nesting }) => {
    suites.length = nesting;
    suites[nesting] = { name, printed: false };
  });
  for (const outcome of ['test:pass', 'test:fail'] as const) {
    tests.on(outcome, (test) => {
      if (isFile(test) || interruption.aborted) return;
      const passed = outcome === 'test:pass' || (test.todo !== undefined && test.todo !== false);
      if (in_detail && test.details.type !== 'suite') {
        for (const [nesting, suite] of suites.slice(0, test.nesting).entries()) {
          if (!suite.printed) console.log(wrap(`${'  '.repeat(nesting)}${suite.name}`));
          suite.printed = true;
        }
        const indent = '  '.repeat(test.nesting);
        const skipped = test.skip === undefined || test.skip === false ? '' : ' (not run)';
        console.log(wrap(`${indent}${passed ? 'ok  ' : 'FAIL'} ${test.name}${skipped}`, `${indent}     `));
      }
      if (passed) return;
      const { error } = test.details as { readonly error: Error & { readonly failureType?: string } };
      const key = `${test.file}:${test.line}:${test.column}`;
      if (repeating.includes(error.failureType ?? '') || failed.has(key)) return;
      failed.add(key);
      const where = test.file === undefined ? '' : `${relative(root, test.file)}:${test.line}`;
      console.log(`\n${wrap(`FAIL ${test.name}`)}\n  ${where}\n${indented(errorText(error))}\n`);
    });
  }
}

function errorText(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return stripVTControlCharacters(inspect(cause, { depth: 6 }));
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}

/** The lines about the files that took the longest, by processor time. */
export function slowestFilesText(times: readonly FileTime[]): string {
  const seconds = ({ processor_s, elapsed_s }: FileTime) => processor_s ?? elapsed_s;
  const slowest = times.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, listed_max);
  const lines = slowest.map((time) => {
    const processor = time.processor_s === null ? '-' : `${time.processor_s.toFixed(1)} s`;
    return wrap(
      `${processor.padStart(9)}${`${time.elapsed_s.toFixed(1)} s`.padStart(9)}  ${time.file}`,
      ' '.repeat(20),
    );
  });
  return ['The slowest files:', 'processor  elapsed', ...lines].join('\n');
}
