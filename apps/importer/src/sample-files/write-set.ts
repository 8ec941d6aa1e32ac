import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { clearing_formats } from '@tallystick/clearing-files';
import { type CardOf, type SampleRecord, type SampleSet, sample_formats } from '@tallystick/harness';
import { readmeOf } from './readme.ts';

/** How the files of a set are written. */
export interface SetWriting {
  /** Absolute; exists, and is empty. */
  readonly folder: string;
  readonly variant: string | undefined;
  /** How many clearing files there are. */
  readonly files: number;
  /** The number of the first one in its series. */
  readonly sequence: number;
  /** The cards exist, and the authorizations are sent. */
  readonly is_loaded: boolean;
}

/** Where the files of a set are. */
export interface SetFiles {
  readonly folder: string;
  /** Absolute paths, in the order in which they are to be imported. */
  readonly clearing_files: readonly string[];
}

/** The formats that files of a set can have. */
export const written_formats: readonly string[] = sample_formats.filter((name) =>
  clearing_formats.some((format) => format.name === name && format.write !== undefined),
);

/** Text of this length is written at once. */
const piece_length = 65_536;

/** Files with card numbers are for their owner only. */
const mode = 0o600;

const extensions: Readonly<Record<string, string>> = { cdf3: 'xml', csv: 'csv', ipm: 'ipm', vcf4: 'tsv' };

/** Creates the folder. Throws an error if it has files already. */
export function createFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`the folder ${folder} is not empty: name another one with --out`);
}

/** Writes all files of a set, in constant memory. */
export function writeSet(set: SampleSet, cardOf: CardOf, writing: SetWriting): SetFiles {
  const { folder } = writing;
  const clearing_files = writeClearingFiles(set, cardOf, writing);
  writeLines(join(folder, 'cards.jsonl'), cardLines(set, cardOf));
  writeLines(join(folder, 'authorizations.jsonl'), set.authorizations(cardOf));
  writeLines(join(folder, 'clearings.jsonl'), messages(set, cardOf));
  writeLines(join(folder, 'answers.jsonl'), answers(set, cardOf));
  writeFileSync(join(folder, 'README.txt'), readmeOf(set, clearing_files, writing.is_loaded));
  return { folder, clearing_files };
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

/** The next records; the others stay for the next file. */
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

function* answers(set: SampleSet, cardOf: CardOf) {
  const withId = <Answer extends { readonly card: number | null }>(answer: Answer) => ({
    ...answer,
    vcn_id: answer.card === null ? null : cardOf(answer.card).vcn_id,
  });
  for (const { expected } of set.records(cardOf)) yield withId(expected);
  for (const expected of set.expectedAuthorizations()) yield withId(expected);
  for (const expected of set.expectedCards()) yield withId(expected);
}

function writeLines(path: string, values: Iterable<unknown>): void {
  writeFile(path, pieces(values));
}

function* pieces(values: Iterable<unknown>): Generator<Uint8Array> {
  let text = '';
  for (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < piece_length) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

function writeFile(path: string, content: Iterable<Uint8Array>): void {
  const file = openSync(path, 'wx', mode);
  try {
    for (const bytes of content) {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    }
  } finally {
    closeSync(file);
  }
}
