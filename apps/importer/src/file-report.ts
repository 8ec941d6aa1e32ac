import {
  applicableRecords,
  doneRecords,
  type Import,
  type ImportOutcome,
  type ImportPreview,
  type PreviewedRecord,
  type ResumedSettings,
  releasable_statement_codes,
} from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import { presentImport } from '@tallystick/operations';
import { wrapText } from '@tallystick/server';
import { count, counted, nameRule, showAmount, showChange } from './words.ts';

/**
 * The report about one file, as `--json` shows it. `waiting`: imports of which held statements were
 * applied, because they waited for those of this one.
 */
export function reportOf(file: string, outcome: ImportOutcome, waiting: readonly Import[] = []) {
  const waiting_applied = waiting.map(presentImport);
  return { file, outcome: outcome.kind, import: presentImport(outcome.import), waiting_applied };
}

/** An import of which held statements were applied, because they waited for those of another file. */
export function describeWaiting({ id, name, status, applied }: Import): string {
  return `  import ${id} (${maskCardNumbers(name)}), of which something was held and waited, is ${status}: applied ${counted(applied, 'line')}`;
}

/** Describes the outcome for people. `database_option` is part of each command that it names. */
export function describeOutcome(
  file: string,
  { kind, import: found, settings }: ImportOutcome,
  database_option = '',
): string {
  if (kind === 'in_progress') {
    const here = `another process is importing the same bytes (import ${found.id}). Nothing was changed here.`;
    const there = `it continues there: ${describePhase(found)}. See how far it is:\nnpm run imports -- show ${found.id}${database_option}`;
    return [`${file}: ${here}`, ...lines([there])].join('\n');
  }
  if (kind === 'known') {
    const before = `the same bytes were imported before, as import ${found.id} (${found.name}, ${found.status})`;
    const otherwise =
      settings === 'other' ? `it was read with other settings than those of now: ${describeProfile(found)}` : null;
    return [
      `${file}: ${before}. Nothing was changed.`,
      ...lines([otherwise, ...nextSteps(found, database_option)]),
    ].join('\n');
  }
  return [`${file}: ${found.status} (import ${found.id})`, ...describeImport(found, database_option)].join('\n');
}

/** How far a running import is: `applying, 44,000 of 100,000 records`. */
function describePhase(found: Import): string {
  const { phase } = found;
  if (isApplying(found)) return `${phase}, ${count(doneRecords(found))} of ${count(applicableRecords(found))} records`;
  if (phase === 'queued') return 'queued: another file of statements is being checked or recorded';
  return `${phase}, ${count(found.records)} records read`;
}

function isApplying({ phase }: Pick<Import, 'phase'>): boolean {
  return phase === 'applying' || phase === 'recording';
}

/** Where this process continues the import of an earlier one, or why it begins again. */
export function describeResume(found: Import, settings: ResumedSettings): string {
  const { id, phase, records } = found;
  if (phase === 'staging' && settings === 'other') {
    return `import ${id} was staged up to record ${count(records)} with another format, profile or settings of a profile. This is removed, and the file is staged again from its beginning`;
  }
  if (phase === 'queued' || phase === 'checking') return `continues import ${id}: all of it is staged (${phase})`;
  const done = isApplying(found) ? doneRecords(found) : records;
  const of = isApplying(found) ? ` of ${count(applicableRecords(found))}` : '';
  const kept =
    settings === 'other'
      ? `. It was read with other settings than those of now, ${describeProfile(found)}, and is applied as it was read`
      : '';
  return `continues import ${id} at record ${count(done + 1)}${of} (${phase})${kept}`;
}

/** The profile by which a file was read; null: none. */
function describeProfile({ read_with }: Pick<Import, 'read_with'>): string | null {
  return read_with === null
    ? null
    : `profile ${read_with.profile} (settings ${read_with.settings_sha256.slice(0, 12)})`;
}

/** Describes how far a running import is, and what to do when its process has died. */
export function describeWork(found: Import, is_claimed: boolean): string {
  if (is_claimed) return `${describePhase(found)}; a process is at work on it`;
  return `${describePhase(found)}; no process is at work on it. ${describeContinuation(found)}`;
}

function describeContinuation({ phase, sha256 }: Import): string {
  if (phase !== 'staging') return 'Start a server, or import the same file again: it continues where it stopped';
  // The hash of a stream is known at its end.
  if (sha256 === null) return 'It will be removed, because nothing of a stream is kept: give the same input again';
  return 'Import the same file again within a day of its start: it continues where it stopped';
}

export function describeImport(found: Import, database_option = ''): readonly string[] {
  return lines([
    `${describeFile(found)}, ${counted(found.bytes, 'byte')}`,
    ...(endsUnapplied(found.status) ? [] : describeCounts(found)),
    ...(found.held_statements.length === 0 ? [describeProblem(found.problem)] : describeHeld(found)),
    ...found.warnings.map((warning) => `warning: ${warning}`),
    ...nextSteps(found, database_option),
  ]);
}

export function describePreview(file: string, preview: ImportPreview): string {
  const { status, known_import_id } = preview;
  if (known_import_id !== null) {
    const what = `the same bytes were imported before, as import ${known_import_id}`;
    return wrapText(`${file}: ${what}. An import would change nothing (dry run)`, '', '  ');
  }
  return [
    `${file}: would be ${status} (dry run: nothing was written)`,
    ...lines([
      describeFile(preview),
      ...(endsUnapplied(status) ? [] : describeCounts(preview, status === 'held' ? 'if it were released: ' : '')),
      ...(preview.held_statements.length === 0 ? [describeProblem(preview.problem)] : describeHeld(preview)),
      ...preview.warnings.map((warning) => `warning: ${warning}`),
    ]),
  ].join('\n');
}

export function describeRecord(record: PreviewedRecord): string {
  const card =
    record.vcn_id === null ? '' : ` card ${record.vcn_id}${record.last4 === null ? '' : ` (ends in ${record.last4})`}`;
  const line =
    record.account_number === null
      ? ''
      : ` account ${record.account_number} booked ${record.booking_date ?? ''} code ${record.bai_code ?? ''}`;
  const amount =
    record.amount === null || record.currency === null
      ? ''
      : `${record.clearing_type === null ? '' : ` ${record.clearing_type}`} ${showAmount(record.amount, record.currency)}`;
  const details = [
    ...(record.match_rule === null ? [] : [`rule ${nameRule(String(record.match_rule))}`]),
    ...(record.class === null ? [] : [record.class]),
    ...(record.authorization_id === null ? [] : [`authorization ${record.authorization_id}`]),
    ...(!record.hold_effect || record.currency === null
      ? []
      : [`hold ${showChange(-record.hold_effect, record.currency)}`]),
    ...(!record.cleared_effect || record.currency === null
      ? []
      : [`cleared ${showChange(record.cleared_effect, record.currency)}`]),
    ...(record.is_break ? [record.review ? 'break (for review)' : 'break'] : []),
    ...(record.reason === null ? [] : [record.reason]),
    ...(record.explanation === null ? [] : [record.explanation]),
  ];
  const what = details.length === 0 ? '' : `: ${details.join(', ')}`;
  const text = `record ${record.ordinal} at ${record.offset}:${card}${line}${amount} ${record.outcome}${what}`;
  return wrapText(maskCardNumbers(text), '  ', '    ');
}

/** `format ipm, file id 17, 1,205 records`; the format alone when nothing could be read. */
function describeFile(found: Pick<Import, 'format' | 'read_with' | 'file_id' | 'records'>): string {
  const { format, file_id, records } = found;
  const profile = describeProfile(found);
  return [
    `format ${format}`,
    ...(profile === null ? [] : [profile]),
    ...(file_id === null ? [] : [`file id ${maskCardNumbers(file_id)}`]),
    ...(records === 0 ? [] : [counted(records, 'record')]),
  ].join(', ');
}

/**
 * What becomes of the clearings or the lines, then the other records and the totals, if there are
 * any.
 */
function describeCounts(counts: Import | ImportPreview, condition = ''): readonly string[] {
  const others = Object.entries(counts.other_records).map(([type, records]) => `${count(records)} of type ${type}`);
  const totals = Object.entries(counts.control_totals).map(([name, value]) => `${name} ${value}`);
  return [
    `${condition}${(counts.statements > 0 ? countedLines(counts) : countedClearings(counts)).join('; ')}`,
    ...(others.length === 0 ? [] : [`other records: ${others.join(', ')}`]),
    ...(totals.length === 0 ? [] : [`totals of the trailer: ${totals.join(', ')}`]),
  ];
}

function countedLines({
  applied,
  statements,
  duplicates,
  held,
  held_statements,
}: Import | ImportPreview): readonly string[] {
  return [
    `applied ${counted(applied, 'line')} of ${counted(statements - held_statements.length, 'statement')}`,
    `duplicates ${count(duplicates)}`,
    ...(held_statements.length === 0
      ? []
      : [`held ${counted(held, 'line')} of ${counted(held_statements.length, 'statement')}`]),
  ];
}

function describeHeld({ held_statements }: Pick<Import, 'held_statements'>): readonly string[] {
  return held_statements.map((held) => `held: statement ${held.number}, ${describeProblem(held)}`);
}

function countedClearings(counts: Import | ImportPreview): readonly string[] {
  return [
    `applied ${count(counts.applied)} (matched ${count(counts.matched)}, breaks ${count(counts.breaks)})`,
    `duplicates ${count(counts.duplicates)}`,
    `quarantined ${count(counts.quarantined)}`,
  ];
}

/** Nothing of the file is ever applied, so that its counts are all zero. */
function endsUnapplied(status: Import['status']): boolean {
  return status === 'refused' || status === 'truncated';
}

function describeProblem(problem: Import['problem']): string | null {
  if (problem === null) return null;
  const { offset } = problem;
  const is_shown = offset === null || new RegExp(`\\boffset ${offset}\\b`).test(problem.message);
  const where = is_shown ? '' : ` at byte ${offset}`;
  return maskCardNumbers(`${problem.code}${where}: ${problem.message}`);
}

/** What to do with a held statement before, or in place of, its release. */
const remedies: Readonly<Record<string, string>> = {
  unknown_account: 'create the account, and it is applied by itself',
  statement_currency:
    'ask the bank for statements in the currency of the account, or create the account of their currency',
  balance_missing: 'import the statement before it, and it is applied by itself',
  statement_gap:
    'import the missing statement, and it is applied by itself. If there is none, look at it and release it',
};

/** What to do with what is held: a sentence for each problem, with the commands to copy. */
function describeRemedies({ id, held_statements }: Import, database_option: string): readonly string[] {
  return [...Map.groupBy(held_statements, ({ code }) => code)].map(([code, held]) => {
    const numbers = held.map(({ number }) => number);
    const which = held_statements.length === 1 ? 'The statement' : `Statement ${numbers.join(', ')}`;
    const remedy = `${which}: ${remedies[code] ?? 'look at it, and release it, or ask the bank for a right one'}`;
    if (code === 'unknown_account') {
      const commands = [...new Set(held.map(({ account_number }) => account_number))].map(
        (number) =>
          `npm run admin -- account create --number ${number} --company COMPANY --currency CURRENCY --kind deposit`,
      );
      return [remedy, ...commands].join('\n');
    }
    if (!releasable_statement_codes.includes(code)) return remedy;
    const commands = numbers.map((number) => `${releaseCommand(id)} --statement ${number}${database_option}`);
    return [remedy, ...commands].join('\n');
  });
}

function releaseCommand(id: number): string {
  return `npm run imports -- release ${id} --note "WHY"`;
}

function nextSteps(found: Import, database_option: string): readonly string[] {
  const { id, status, problem, held_statements } = found;
  if (problem?.code === 'format_unknown') {
    return [
      'nothing is applied. Check that this is a clearing file or a bank statement, not compressed or encrypted; if it is, name its format and profile',
    ];
  }
  switch (status) {
    case 'held':
      if (held_statements.length > 0) return ['nothing is applied', ...describeRemedies(found, database_option)];
      return [`nothing is applied. Look at it, then:\n${releaseCommand(id)}${database_option}`];
    case 'refused':
      return ['nothing is applied. Ask the sender for a correct file'];
    case 'truncated':
      return ['nothing is applied. Fetch the whole file and import it'];
    case 'completed_with_quarantine':
      if (held_statements.length > 0) {
        return ['the other statements are applied', ...describeRemedies(found, database_option)];
      }
      return [`the records in quarantine:\nnpm run imports -- quarantine ${id}${database_option}`];
    default:
      return [];
  }
}

/** Sentences keep to the width of the terminal. What follows a line break is a command to copy. */
function lines(texts: readonly (string | null)[]): readonly string[] {
  return texts
    .filter((text) => text !== null)
    .flatMap((text) => {
      const [sentence = '', ...commands] = text.split('\n');
      return [wrapText(sentence, '  ', '    '), ...commands.map((command) => `    ${command}`)];
    });
}
