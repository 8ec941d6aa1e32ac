import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SampleSet, SampleStatement } from '@tallystick/samples';
import { statement_formats } from '@tallystick/statement-files';

/** The statements of a set in files, in a folder of their own. */
export interface StatementFiles {
  /** In the order of their days. */
  readonly paths: readonly string[];
  dispose(): void;
}

/** Statements of so many days are in one file. */
const days_of_file = 15;

/** Writes the statements of an account. */
export function writeStatementFiles(set: SampleSet, format_name: string, account_number: string): StatementFiles {
  const format = statement_formats.find(({ name }) => name === format_name);
  if (format?.writeStatements === undefined) throw new Error(`files of ${format_name} cannot be written`);
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-statements-'));
  const paths: string[] = [];
  const all = set.statements(account_number)[Symbol.iterator]();
  for (;;) {
    const first = all.next();
    if (first.done === true) return { paths, dispose: () => rmSync(folder, { recursive: true, force: true }) };
    const path = join(folder, `statements-${paths.length}.${format_name}`);
    const file = openSync(path, 'w');
    const content = {
      sequence: paths.length + 1,
      created_on: set.options.day,
      statements: following(first.value, all),
    };
    for (const bytes of format.writeStatements(content)) writeSync(file, bytes);
    closeSync(file);
    paths.push(path);
  }
}

/** The statement and those after it, as many as a file has. */
function* following(first: SampleStatement, others: Iterator<SampleStatement>): Generator<SampleStatement> {
  yield first;
  for (let taken = 1; taken < days_of_file; taken += 1) {
    const { value, done } = others.next();
    if (done === true) return;
    yield value;
  }
}
