import { toCsvRow } from '@tallystick/reconciliation';
import type { CardOf, MonthDates, SampleSet } from '@tallystick/samples';
import { UsageError } from '@tallystick/server';
import { type Loading, morningOf } from './loading.ts';

/** How many days of a month a clearing file has by default. */
export const days_of_file = 7;

/**
 * The first day of a month, to which the clock of the sandbox is moved. Throws a `UsageError` for a
 * day that is over.
 */
export async function beginMonth({ moveClock }: Loading, wanted: string | undefined): Promise<string> {
  const now = await moveClock({ advance: 'PT0S' });
  const today = now.slice(0, 10);
  if (wanted === undefined || wanted === today) return today;
  if (wanted < today) throw new UsageError(`--date is "${wanted}"; the clock of the sandbox is at ${now} already`);
  await moveClock({ set: morningOf(wanted) });
  return wanted;
}

/** The bank reports lines by itself. Throws an error when one is refused. */
export async function reportLines({ reportRecords }: Loading, records: readonly object[]): Promise<void> {
  if (records.length === 0) return;
  const { rejected } = await reportRecords(records);
  if (rejected > 0) throw new Error(`${rejected} of ${records.length} lines that the bank reports were refused`);
}

const columns = [
  ...['break_kind', 'amount', 'currency', 'act', 'with', 'what', 'vcn_id'],
  ...['authorizations', 'clearings', 'lines', 'scenario'],
];

export function* breakAnswers(set: SampleSet, cardOf: CardOf, today: string): Generator<Uint8Array> {
  yield Buffer.from(toCsvRow(columns));
  for (const one of set.expectedBreaks(today)) {
    const named = one.with;
    const row = toCsvRow([
      ...[one.break_kind, one.amount, one.currency, one.act ?? 'none'],
      { text: [...named.authorizations, ...named.clearings, ...named.lines].join(' ') },
      { text: one.what },
      one.card === null ? null : cardOf(one.card).vcn_id,
      ...[one.authorizations, one.clearings, one.lines].map((names) => ({ text: names.join(' ') })),
      one.scenario,
    ]);
    yield Buffer.from(row);
  }
}

/** The steps of a month. `folder` is the prefix of its files, `database` the option of commands. */
export function stepsOfMonth(
  { close_through }: MonthDates,
  has_late_files: boolean,
  { folder, database }: { readonly folder: string; readonly database: string },
): string {
  const importOf = (name: string): string => `     npm run import --${database} "${folder}${name}-*"`;
  const reconcile = (words: string): string => `     npm run reconcile -- ${words}${database}`;
  const steps = [
    ['Import the clearing files, then the statements:', importOf('clearings'), importOf('statement')],
    ['See what is open:', reconcile('report'), reconcile('breaks')],
    ['Work off the breaks, by commands or by a table. break-answers.csv says what was right.'],
    ['Close the days whose purchases have settled:', reconcile(`close --through ${close_through}`)],
    !has_late_files
      ? []
      : [
          'Import what comes late for closed days, and work it off:',
          ...[importOf('late-clearings'), importOf('late-statement'), reconcile('breaks --kind late_change')],
        ],
  ].filter(({ length }) => length > 0);
  return steps.map((lines, at) => `${at + 1}. ${lines.join('\n')}`).join('\n');
}
