import { relative, resolve } from 'node:path';
import type { TestsStream } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** A test that failed. */
export interface Failure {
  /** The names of the suites around the test, the outermost first, and the name of the test. */
  readonly names: readonly string[];
  /** Where the test is declared, which may be a module that test files use. Relative to the root. */
  readonly file: string;
  /** The test file that ran it; null: its process did not come to its end. Relative to the root. */
  readonly test_file: string | null;
  /** The line where the test begins; null when the file itself failed. */
  readonly line: number | null;
  readonly column: number | null;
  /** The first line of the error. */
  readonly message: string;
}

/** The parts of the runner's report of a failure that are used here. */
interface Reported {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

interface ReportedError extends Error {
  readonly failureType?: string;
  /** Of a process that did not come to its end. */
  readonly signal?: string | null;
}

/**
 * Failures that only repeat a listed failure: a suite whose tests failed, and tests that a failed
 * hook cancelled.
 */
export const repeating: readonly string[] = ['subtestsFailed', 'cancelledByParent', 'parentAlreadyFinished'];

/**
 * Collects the failures of a run in progress. Read the list when the run has ended. `root` is the
 * folder of the project.
 */
export function failuresOf(tests: TestsStream, root: string): readonly Failure[] {
  const failures: (Omit<Failure, 'test_file'> & { test_file: string | null })[] = [];
  const suites: string[] = [];
  let test_file: string | null = null;
  const relativeTo = (path: string) => relative(root, resolve(root, toPath(path)));
  /**
   * The first error that each file wrote: the only information about a file that could not be
   * loaded.
   */
  const written = new Map<string, string>();
  tests.on('test:stderr', ({ file, message }) => {
    const error = /^\S*Error\b.*/m.exec(stripVTControlCharacters(message))?.[0];
    if (error !== undefined && !written.has(file)) written.set(file, error);
  });
  // Both events are reported in the order of the files, one file after the other.
  tests.on('test:start', ({ name, nesting }) => {
    suites.length = nesting;
    suites[nesting] = name;
    // A process of several files has a test with the name of each before its tests.
    if (nesting === 0 && name.endsWith('.ts')) test_file = relativeTo(name);
  });
  // The end of a process. One file alone in its process has no such test.
  tests.on('test:summary', ({ file }) => {
    test_file = null;
    if (file === undefined) return;
    for (const failure of failures) failure.test_file ??= relativeTo(file);
  });
  tests.on('test:fail', (failed) => {
    if (failed.todo !== undefined && failed.todo !== false) return;
    const { name, nesting, file, line, column } = failed as Reported;
    const error = failed.details.error as ReportedError;
    const names_a_file = name.endsWith('.ts');
    const absolute = names_a_file ? resolve(root, toPath(name)) : toPath(file ?? name);
    const path = relative(root, absolute);
    if (repeating.includes(error.failureType ?? '')) return;
    // A file fails with its tests. It is listed only when it failed without a failed test.
    if (names_a_file && failures.some((one) => one.file === path)) return;
    failures.push({
      names: names_a_file ? [path] : [...suites.slice(0, nesting), name],
      file: path,
      test_file: names_a_file ? path : test_file,
      line: names_a_file ? null : (line ?? null),
      column: names_a_file ? null : (column ?? null),
      message: (names_a_file ? (error.signal ?? written.get(absolute)) : undefined) ?? firstLine(error),
    });
  });
  return failures;
}

/**
 * Returns the list at the end of a failed run: for each test its name, its place, the error and how
 * to run it again.
 */
export function failuresText(failures: readonly Failure[], seed: number): string {
  const blocks = failures.map(({ names, file, test_file, line, column, message }, place) => {
    const at = line === null ? file : `${file}:${line}:${column}`;
    return [
      `  ${place + 1}. ${names.join(' > ')}`,
      `     at ${at}`,
      `     ${message}`,
      `     npm test -- --only ${test_file ?? file} --seed ${seed}`,
    ].join('\n');
  });
  const count = failures.length === 1 ? '1 test' : `${failures.length} tests`;
  return [`FAILED: ${count}`, ...blocks].join('\n\n');
}

function toPath(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

/**
 * Returns the error in one line: the first line of the message, and when it ends with a colon the
 * next line, or the first difference that the assertion shows.
 */
function firstLine(error: ReportedError): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  const lines = stripVTControlCharacters(cause.message).split('\n');
  const [first = 'without a message', ...others] = lines.filter((line) => line.trim() !== '');
  const difference = others.slice(1).find((line) => /^[+-] +[^\s[\]{}]/.test(line));
  const next = (others[0] === '+ actual - expected' ? difference : undefined) ?? others[0] ?? '';
  const text = first.endsWith(':') && next !== '' ? `${first} ${next.trim()}` : first;
  return cause.name === 'Error' || text.startsWith(cause.name) ? text : `${cause.name}: ${text}`;
}
