import { relative, resolve } from 'node:path';
import type { TestsStream } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** A test that failed. */
export interface Failure {
  /** The names of the suites around it, the outermost first, and its own. */
  readonly names: readonly string[];
  /** Relative to the root. */
  readonly file: string;
  /** Where it begins; null when the file itself failed. */
  readonly line: number | null;
  readonly column: number | null;
  /** The first line of what went wrong. */
  readonly message: string;
}

/** What the runner of tests says of a failure, as far as it is of use here. */
interface Reported {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

interface ReportedError extends Error {
  readonly failureType?: string;
}

/**
 * Failures that only repeat what is listed already: of a suite whose tests failed, and of tests
 * that a failed hook cancelled.
 */
const repeating = ['subtestsFailed', 'cancelledByParent', 'parentAlreadyFinished'];

/**
 * Collects the failures of a run while it goes on: read the list when it has ended. `root` is the
 * folder of the project.
 */
export function failuresOf(tests: TestsStream, root: string): readonly Failure[] {
  const failures: Failure[] = [];
  const suites: string[] = [];
  /** The first error that each file wrote: all that is known of a file that could not be loaded. */
  const written = new Map<string, string>();
  tests.on('test:stderr', ({ file, message }) => {
    const error = /^\S*Error\b.*/m.exec(stripVTControlCharacters(message))?.[0];
    if (error !== undefined && !written.has(file)) written.set(file, error);
  });
  // Both are reported in the order of the files, one file after the other.
  tests.on('test:start', ({ name, nesting }) => {
    suites.length = nesting;
    suites[nesting] = name;
  });
  tests.on('test:fail', (failed) => {
    if (failed.todo !== undefined && failed.todo !== false) return;
    const { name, nesting, file, line, column } = failed as Reported;
    const error = failed.details.error as ReportedError;
    if (repeating.includes(error.failureType ?? '')) return;
    const names_a_file = name.endsWith('.ts');
    const absolute = names_a_file ? resolve(root, toPath(name)) : toPath(file ?? name);
    const path = relative(root, absolute);
    // A file fails with its tests: it is only listed when it failed by itself.
    if (names_a_file && failures.some((one) => one.file === path)) return;
    failures.push({
      names: names_a_file ? [path] : [...suites.slice(0, nesting), name],
      file: path,
      line: names_a_file ? null : (line ?? null),
      column: names_a_file ? null : (column ?? null),
      message: (names_a_file ? written.get(absolute) : undefined) ?? firstLine(error),
    });
  });
  return failures;
}

/**
 * The list that ends a failed run: of each test its name, its place, what went wrong and how to run
 * it again.
 */
export function failuresText(failures: readonly Failure[], seed: number): string {
  const blocks = failures.map(({ names, file, line, column, message }, place) => {
    const at = line === null ? file : `${file}:${line}:${column}`;
    return [
      `  ${place + 1}. ${names.join(' > ')}`,
      `     at ${at}`,
      `     ${message}`,
      `     npm test -- --only ${file} --seed ${seed}`,
    ].join('\n');
  });
  const count = failures.length === 1 ? '1 test' : `${failures.length} tests`;
  return [`FAILED: ${count}`, ...blocks].join('\n\n');
}

function toPath(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

/** In one line: the first of the message, and the next one when the first ends with a colon. */
function firstLine(error: ReportedError): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  const [first = 'without a message', next = ''] = cause.message.split('\n').filter((line) => line.trim() !== '');
  const text = first.endsWith(':') && next !== '' ? `${first} ${next.trim()}` : first;
  return cause.name === 'Error' || text.startsWith(cause.name) ? text : `${cause.name}: ${text}`;
}
