import { join } from 'node:path';
import type { SampleSet } from '@tallystick/samples';
import { statement_formats } from '@tallystick/statement-files';
import { writeFile } from './write-file.ts';

export interface StatementWriting {
  /** One of `statement_format_names`. */
  readonly format: string;
  readonly account: string;
  /** YYYY-MM-DD: at its end the answers about items hold. */
  readonly today: string;
}

export const statement_format_names: readonly string[] = statement_formats
  .filter(({ writeStatements }) => writeStatements !== undefined)
  .map(({ name }) => name);

const extensions: Readonly<Record<string, string>> = { bai2: 'bai', camt053: 'xml' };

/** Writes a file for each day, in constant memory. Returns absolute paths, oldest first. */
export function writeStatementFiles(
  set: SampleSet,
  folder: string,
  sequence: number,
  { format: name, account }: StatementWriting,
): readonly string[] {
  const format = statement_formats.find((one) => one.name === name);
  if (format?.writeStatements === undefined) throw new Error(`statements of ${name} cannot be written`);
  const paths: string[] = [];
  for (const statement of set.statements(account)) {
    const { as_of } = statement.head;
    const path = join(folder, `statement-${as_of}.${extensions[name] ?? name}`);
    const content = { sequence: sequence + paths.length, created_on: as_of, statements: [statement] };
    writeFile(path, format.writeStatements(content));
    paths.push(path);
  }
  return paths;
}
