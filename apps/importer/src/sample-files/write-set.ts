import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { clearing_formats } from '@tallystick/clearing-files';
import type { StatementFileContent } from '@tallystick/imports';
import {
  type CardOf,
  type MonthDates,
  month_hold_days,
  type SampleRecord,
  type SampleSet,
  sample_formats,
} from '@tallystick/samples';
import { statement_formats } from '@tallystick/statement-files';
import { breakAnswers, stepsOfMonth } from './month.ts';
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
  /** What comes after the month was closed, in the same order; empty without a month. */
  readonly late_files: readonly string[];
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
  mt940: 'sta',
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
  const written = statements === null ? [] : writeStatementFiles(set, folder, writing.sequence, statements);
  const isLate = (path: string): boolean => basename(path).startsWith('late-');
  const statement_files = written.filter((path) => !isLate(path));
  const late_files = set.month === null ? [] : [...writeLateClearings(set, cardOf, writing), ...written.filter(isLate)];
  writeLines(join(folder, 'cards.jsonl'), cardLines(set, cardOf));
  writeLines(join(folder, 'authorizations.jsonl'), set.authorizations(cardOf));
  writeLines(join(folder, 'clearings.jsonl'), messages(set, cardOf));
  writeLines(join(folder, 'answers.jsonl'), answers(set, cardOf, statements));
  if (statements !== null && set.month !== null) {
    writeLines(join(folder, 'bank-records.ndjson'), set.reported(statements.account));
    writeFile(join(folder, 'break-answers.csv'), breakAnswers(set, cardOf, statements.today));
  }
  const files = { folder, clearing_files, statement_files, late_files };
  writeFileSync(join(folder, 'README.txt'), readmeOf(set, files, writing));
  return files;
}

function writeClearingFiles(
  set: SampleSet,
  cardOf: CardOf,
  { folder, variant, files, sequence }: SetWriting,
): readonly string[] {
  // A month has a number of purchases, and each has some clearings or none.
  const records = set.month === null ? set.options.records : countOf(set.records(cardOf));
  const all = set.records(cardOf)[Symbol.iterator]();
  const paths: string[] = [];
  for (let file = 0; file < files; file += 1) {
    const count = Math.floor((records * (file + 1)) / files) - Math.floor((records * file) / files);
    const number = sequence + file;
    paths.push(writeClearingFile(set, { folder, variant, name: 'clearings', number }, take(all, count)));
  }
  return paths;
}

/** One file, unless nothing comes late. */
function writeLateClearings(set: SampleSet, cardOf: CardOf, writing: SetWriting): readonly string[] {
  const { folder, variant, files, sequence } = writing;
  const count = countOf(set.lateRecords(cardOf));
  if (count === 0) return [];
  const clearings = take(set.lateRecords(cardOf)[Symbol.iterator](), count);
  return [writeClearingFile(set, { folder, variant, name: 'late-clearings', number: sequence + files }, clearings)];
}

interface FileName extends Pick<SetWriting, 'folder' | 'variant'> {
  readonly name: string;
  readonly number: number;
}

function writeClearingFile(
  { options }: SampleSet,
  { folder, variant, name, number }: FileName,
  clearings: Iterable<SampleRecord['written']>,
): string {
  const format = clearing_formats.find((one) => one.name === options.format);
  if (format?.write === undefined) throw new Error(`files of ${options.format} cannot be written`);
  const extension = extensions[options.format] ?? options.format;
  const path = join(folder, `${name}-${String(number).padStart(5, '0')}.${extension}`);
  const head = { sequence: number, created_on: options.day, mode: 'production' } as const;
  writeFile(path, format.write({ ...head, clearings }, variant));
  return path;
}

function countOf(values: Iterable<unknown>): number {
  let count = 0;
  for (const _ of values) count += 1;
  return count;
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

/** How statements can be written: each format, and each other variant of it. */
const statement_writers = new Map(
  statement_formats.flatMap(({ name, variants = [], writeStatements }) => {
    if (writeStatements === undefined) return [];
    const extension = extensions[name] ?? name;
    return [undefined, ...variants.slice(1)].map(
      (variant) =>
        [
          variant === undefined ? name : `${name}-${variant}`,
          { extension, write: (content: StatementFileContent) => writeStatements(content, variant) },
        ] as const,
    );
  }),
);

/** `bai2`, `bai2-bank`. */
export const statement_format_names: readonly string[] = [...statement_writers.keys()];

/** Writes a file for each day, in constant memory. Returns absolute paths, oldest first. */
function writeStatementFiles(
  set: SampleSet,
  folder: string,
  sequence: number,
  { format: name, account }: StatementWriting,
): readonly string[] {
  const writer = statement_writers.get(name);
  if (writer === undefined) throw new Error(`statements of ${name} cannot be written`);
  const paths: string[] = [];
  for (const statement of set.statements(account)) {
    const { as_of } = statement.head;
    const prefix = as_of === set.month?.late_day ? 'late-' : '';
    const path = join(folder, `${prefix}statement-${as_of}.${writer.extension}`);
    const content = { sequence: sequence + paths.length, created_on: as_of, statements: [statement] };
    writeFile(path, writer.write(content));
    paths.push(path);
  }
  return paths;
}

function readmeOf(set: SampleSet, files: SetFiles, { statements, is_loaded }: SetWriting): string {
  const { cards, records, seed, format, day, month } = set.options;
  const { clearing_files, statement_files } = files;
  const counted = month === undefined ? `${records} clearings` : `${records} purchases`;
  const names = clearing_files.map((path) => basename(path));
  return `Samples for Tallystick: ${cards} cards, ${counted}, format ${format}, seed ${seed}, day ${day}.
All data is invented. The same options make the same set.

${is_loaded ? loaded : not_loaded}${set.month === null ? '' : monthOf(set.month, files)}

Files
  ${names.join('\n  ')}
      The clearing ${names.length === 1 ? 'file' : 'files'} of the network: npm run import -- ${names[0] ?? ''}
${statements === null ? '' : statementFilesOf(statement_files, statements)}  cards.jsonl
      One card per line: its number in this set, its id (vcn_id), and the data of the request that creates it.
  authorizations.jsonl
      Messages for POST /network/v1/authorizations ({"data": <line>}), in the order in which they are to be sent.
      They contain card numbers.
  clearings.jsonl
      The clearings of the files as messages for POST /network/v1/clearings. A clearing that came by message
      is a duplicate in the file, and the other way round. Records that no message can state are not in it.
  answers.jsonl
      What must become of everything, once all of it has arrived.
      kind "clearing", in the order of the files:
        transaction_id   the network's id${set.able.transaction_id ? '' : `. ${format} has none: the record gets another one, made from its file and place`}
        rule             the rule of matching, 0 to 8; 0: a duplicate, which changes nothing
        class, review    the class of the clearing, and whether it is marked for review: its match is not certain
        authorization    the trace_id of the authorization that it belongs to, or null
        earlier          the transaction_id of the clearing that it reverses, disputes or refunds, or null
        duplicate_of     the transaction_id of the clearing that it repeats, or null
        quarantine       the reason why it cannot be applied, or null
        sent_before      --load sends it by message, so that the file has it a second time
${set.able.references === 'none' ? noReferencesOf(format) : ''}      kind "authorization": its status, what it holds, what has cleared, whether it counts as a use.
      kind "card": the available balance, the sums, the uses, and how many authorizations have each status.
${statements === null ? '' : itemAnswersOf(statements)}${set.month === null ? '' : break_answers}
Holds end ${set.month === null ? 30 : month_hold_days} days after the authorizations are sent. From then on open authorizations are expired,
and the balances are higher than the answers say.
`;
}

function statementFilesOf(files: readonly string[], { account }: StatementWriting): string {
  const [first = '', last = ''] = [files[0], files.at(-1)].map((path) => basename(path ?? ''));
  return `  ${first} ... ${last}
      The statements of the account ${account}, a file for each day. Each opens with the balance with which
      the one before closed: import them in the order of their days, after the clearing files:
      npm run import -- "statement-*${extname(last)}"
`;
}

function itemAnswersOf({ today }: StatementWriting): string {
  return `      kind "item": what must have become of each purchase, lone clearing and lone card line at the end of
      ${today} (UTC), once everything was imported. Amounts are in minor units, purchases positive.
        authorizations   trace_ids
        clearings        transaction_ids
        lines, pairs     references of the bank, and which line belongs to which clearing
        status           matched, awaiting, proposed or break
        break_kind, age  the kind of the break, and its age bucket
        class, rule      the class that describes the item, and the weakest rule that made a match of it
        offers           how many covering sets are listed and not applied, because there is more than one
      kind "summary": counts and sums of all items. kind "bridge": the account from its first opening balance
      to its last closing balance, in the account's sign.
`;
}

function monthOf(month: MonthDates, files: SetFiles): string {
  const steps = stepsOfMonth(month, files.late_files.length > 0, { folder: '', database: '' });
  return `\n\nA month to close, in this folder (docs/closing-a-month.md explains each step)\n${steps}`;
}

const break_answers = `  bank-records.ndjson
      Lines that the bank reports by itself, and that its statements have otherwise or lack. --load sends
      them; else send the file to POST /bank/v1/records before the statements are imported. The answers of
      the kinds "item" and "summary" do not count them.
  break-answers.csv
      Each break and what is right: act "match" is with the records in the column "with", "none" follows
      from another act or from what comes late. Look when you are done.
`;

function noReferencesOf(format: string): string {
  return `        ${format} has no approval codes and no references of the network or the acquirer. Clearings match by
        merchant and amount: the rules are 0, 6, 7 and 8, and each match by rule 6 is marked for review.
`;
}

const loaded = `The cards exist, and the authorizations were sent. Import the clearing files next.`;

const not_loaded = `The cards of this set do not exist: their numbers are invented, and their ids are those of an
empty database. Make the set with --load to create the cards and send the authorizations.`;
