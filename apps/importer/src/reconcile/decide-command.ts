import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { tableSource } from '@tallystick/clearing-files';
import { type FieldError, Refusal } from '@tallystick/kernel';
import { decideByTable, type TableAnswer } from '@tallystick/reconciliation';
import { type Command, wrapText } from '@tallystick/server';
import { chooseDisplay, type ProgressTerminal } from '../progress-display.ts';
import { count, counted } from '../words.ts';
import { actPortsOf, companyOf, writingCall } from './companies.ts';

const errors_shown_max = 20;

/** `npm run reconcile -- decide`: decides items by a table that a spreadsheet saved. */
export function decideCommand({ stderr }: ProgressTerminal): Command {
  return {
    name: 'decide',
    argument: 'table.csv',
    summary:
      'Decides items by the table of `breaks --csv` with its columns decision, note and with filled in: all rows, or none',
    options: { company: 'the company of the items; needed when there are several' },
    flags: { 'dry-run': 'only shows what is wrong with the rows', quiet: 'no progress on standard error' },
    async run(services, given) {
      // npm runs a script in the folder of the project, and names the one of the person.
      const path = resolve(process.env.INIT_CWD ?? '.', given.argument);
      const bytes_total = await sizeOf(path, given.argument);
      const company_id = await companyOf(services, given);
      const ports = await actPortsOf(services);
      const display = chooseDisplay(stderr, given.argument, {
        quiet: given.flags.has('quiet'),
        json: given.flags.has('json'),
      });
      let readings = 0;
      const open = async function* () {
        readings += 1;
        const phase = readings === 1 ? 'reading' : 'deciding';
        let bytes = 0;
        for await (const piece of createReadStream(path)) {
          yield piece as Uint8Array;
          bytes += piece.length;
          display.show({ phase, bytes, bytes_total, records: 0, records_total: null });
        }
      };
      const dry_run = given.flags.has('dry-run');
      try {
        const answer = await decideByTable(ports, writingCall(services, company_id), tableSource(open), { dry_run });
        return { data: answer, text: describeAnswer(answer), status: answer.errors_total === 0 ? 0 : 1 };
      } catch (error) {
        throw error instanceof Refusal && error.fields.length > 0 ? new Error(describeRefusal(error)) : error;
      } finally {
        display.end();
      }
    },
  };
}

async function sizeOf(path: string, shown: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) throw new Error(`there is no file ${shown}`);
  return found.size;
}

function describeAnswer({
  rows,
  skipped,
  decided,
  pending,
  unchanged,
  errors,
  errors_total,
  dry_run,
}: TableAnswer): string {
  const of_rows = `${counted(rows, 'row')}, ${count(skipped)} of them without a decision`;
  if (errors_total > 0) {
    const all = errors.map(({ row, column, message }) => ({ path: `row ${row}, ${column}:`, message }));
    return `${of_rows}\n${describeErrors(all, errors_total)}`;
  }
  const waiting = pending === 0 ? '' : `, ${count(pending)} ${dry_run ? 'would wait' : 'wait'} for a second person`;
  const before = unchanged === 0 ? '' : `, and ${count(unchanged)} stood already`;
  return `${of_rows}\n${counted(decided, 'decision')} ${dry_run ? 'can be made' : 'made'}${waiting}${before}`;
}

function describeRefusal({ fields }: Refusal): string {
  const errors = fields.map(({ path, message }) => ({
    path: path.replace(/^rows\[(\d+)\]\.(\w+)$/, 'row $1, $2:'),
    message,
  }));
  return describeErrors(errors, errors.length);
}

function describeErrors(errors: readonly FieldError[], total: number): string {
  const shown = errors
    .slice(0, errors_shown_max)
    .map(({ path, message }) => wrapText(`${path} ${message}`, '  ', '    '));
  const more = total > shown.length ? [`  and ${counted(total - shown.length, 'more error')}`] : [];
  return [`${counted(total, 'error')}; nothing was decided`, ...shown, ...more].join('\n');
}
