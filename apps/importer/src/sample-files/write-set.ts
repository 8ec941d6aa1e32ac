import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearing_formats } from '@tallystick/clearing-files';
import { type CardOf, type SampleRecord, type SampleSet, sample_formats } from '@tallystick/samples';
import { statement_formats } from '@tallystick/statement-files';
import { readmeOf } from './readme.ts';
import { writeFile, writeLines } from './write-file.ts';

export interface SetWriting {
  /** Absolute; exists, and is empty. */
  readonly folder: string;
  readonly variant: string | undefined;
  readonly files: number;
  /** The number of the first one in its series. */
  readonly sequence: number;
  /** Null: no statements are written. */
  readonly statements: StatementWriting | null;
  /** The cards exist, and the authorizations are sent. */
  readonly is_loaded: boolean;
}

export interface SetFiles {
  readonly folder: string;
  /** Absolute paths, in the order in which they are to be imported. */
  readonly clearing_files: readonly string[];
  /**
   * Absolute paths, in the order in which they are to be imported: after the clearing files. Empty
   * without statements.
   */
  readonly statement_files: readonly string[];
}

export const written_formats: readonly string[] = sample_formats.filter((name) =>
  clearing_formats.some((format) => format.name === name && format.write !== undefined),
);

const extensions: Readonly<Record<string, string>> = {
  cdf3: 'xml',
  csv: 'csv',
  ipm: 'ipm',
  vcf4: 'tsv',
  bai2: 'bai',
  camt053: 'xml',
};

/** Creates the folder. Throws an error if it is not empty. */
export function createFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`the folder ${folder} is not empty: name another one with --out`);
}

/** Writes all files of a set, in constant memory. */
export function writeSet(set: SampleSet, cardOf: CardOf, writing: SetWriting): SetFiles {
  const { folder } = writing;
  const clearing_files = writeClearingFiles(set, cardOf, writing);
  const { statements } = writing;
  const statement_files = statements === null ? [] : writeStatementFiles(set, folder, writing.sequence, statements);
  writeLines(join(folder, 'cards.jsonl'), cardLines(set, cardOf));
  writeLines(join(folder, 'authorizations.jsonl'), set.authorizations(cardOf));
  writeLines(join(folder, 'clearings.jsonl'), messages(set, cardOf));
  writeLines(join(folder, 'answers.jsonl'), answers(set, cardOf, statements));
  const files = { folder, clearing_files, statement_files };
  writeFileSync(join(folder, 'README.txt'), readmeOf(set, files, writing));
  return files;
}

function writeClearingFiles(
  set: SampleSet,
  cardOf: CardOf,
  { folder, variant, files, sequence }: SetWriting,
): readonly string[] {
  const { format: name, records, day } = set.options;
  const format = clearing_formats.find((one) => one.name === name);
  if (format?.write === undefined) throw new Error(`files of ${name} cannot be written`);
  const all = set.records(cardOf)[Symbol.iterator]();
  const paths: string[] = [];
  for (let file = 0; file < files; file += 1) {
    const count = Math.floor((records * (file + 1)) / files) - Math.floor((records * file) / files);
    const number = sequence + file;
    const path = join(folder, `clearings-${String(number).padStart(5, '0')}.${extensions[name] ?? name}`);
    const clearings = take(all, count);
    writeFile(path, format.write({ sequence: number, created_on: day, mode: 'production', clearings }, variant));
    paths.push(path);
  }
  return paths;
}

function* take(records: Iterator<SampleRecord>, count: number) {
  for (let taken = 0; taken < count; taken += 1) {
    const { value, done } = records.next();
    if (done === true) return;
    yield value.written;
  }
}

function* cardLines(set: SampleSet, cardOf: CardOf) {
  let card = 0;
  for (const request of set.cards()) {
    const { vcn_id, card_number } = cardOf(card);
    yield { card, vcn_id, last4: card_number.slice(-4), request };
    card += 1;
  }
}

function* messages(set: SampleSet, cardOf: CardOf) {
  for (const { message } of set.records(cardOf)) if (message !== null) yield message;
}

function* answers(set: SampleSet, cardOf: CardOf, statements: StatementWriting | null) {
  const withId = <Answer extends { readonly card: number | null }>(answer: Answer) => ({
    ...answer,
    vcn_id: answer.card === null ? null : cardOf(answer.card).vcn_id,
  });
  for (const { expected } of set.records(cardOf)) yield withId(expected);
  for (const expected of set.expectedAuthorizations()) yield withId(expected);
  for (const expected of set.expectedCards()) yield withId(expected);
  if (statements === null) return;
  const { today } = statements;
  for (const expected of set.expectedItems(today)) yield withId(expected);
  yield set.expectedSummary(today);
  yield set.expectedBridge(today);
}

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

/** Writes a file for each day, in constant memory. Returns absolute paths, oldest first. */
function writeStatementFiles(
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
