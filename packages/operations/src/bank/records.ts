import { bank_record_kinds, type RecordLine, record_errors_max, reportRecords } from '@tallystick/accounts';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import { Fault, type UnitOfWork } from '@tallystick/kernel';
import * as z from 'zod';
import { showAs } from '../fields.ts';
import { bankCall, type Operation, type OperationTx, operation, own_transactions, type Spool } from '../operation.ts';

/** The longest line of records, in bytes. */
export const line_bytes_max = 64 * 1024;

/** Reads lines of JSON in batches, bounded in lines and bytes. Of a line over `line_bytes_max`, only its number is kept. */
export type ReadRecordLines = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<readonly RecordLine[]>;

/** The most bytes of a file, which is kept until it is complete. */
const records_bytes_max = 1024 * 1024 * 1024;

export interface RecordOperationPorts {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly vault: Pick<CardVault, 'index'>;
  readonly spool: Spool;
  readonly readRecordLines: ReadRecordLines;
  readonly lifecycle: { readonly signal: AbortSignal };
}

const count = z.int().min(0);

const record_error = z
  .object({
    line: z.int().min(1).describe('The line of the report, from 1; empty lines are counted'),
    path: z.string().describe('The field; empty when the whole line is at fault'),
    message: z.string().describe('What it must be'),
  })
  .meta({ id: 'RecordError', description: 'What is wrong with a line of a report' });

export const record_report = z
  .object({
    lines: count.describe('Lines that are not empty: applied, duplicates and rejected together'),
    applied: count.describe('Lines that took effect'),
    duplicates: count.describe('Transactions that were recorded before, and balances older than the known one'),
    rejected: count.describe('Lines with a problem; they have no effect'),
    errors: z
      .array(record_error)
      .readonly()
      .describe(`The first ${record_errors_max} problems; a line can have several`),
  })
  .meta({ id: 'RecordReport', description: 'The result of a report' });

/**
 * `POST /bank/v1/records`: what the bank reports in bulk. It is one route for all accounts, because
 * a bank reports a day of many accounts, and users belong to no account.
 */
export function recordOperations({
  unitOfWork,
  vault,
  spool,
  readRecordLines,
  lifecycle,
}: RecordOperationPorts): readonly Operation[] {
  return [
    operation('bank_channel', {
      id: 'bank.records.report',
      summary: 'Report users, profiles, balances, transactions and orders in bulk',
      description:
        `One JSON object a line, of at most ${line_bytes_max} bytes, with its \`kind\` ` +
        `(${bank_record_kinds.map((kind) => `\`${kind}\``).join(', ')}) and the fields of that kind; all but users ` +
        'name their `account`. A file that ends too early applies nothing. Lines are applied in their order, in ' +
        'batches. A line with a problem has no effect and stops no other. What is known by its reference is ' +
        'replaced; a known transaction is a duplicate, and an error when it differs. So the same lines can be reported ' +
        'again, also after a fault, which can come when some batches are applied.',
      file_bytes_max: records_bytes_max,
      runs_alone: own_transactions,
      answer: record_report,
      async receive(call, bytes) {
        const ports = {
          unitOfWork,
          refuseCardNumbers: (tx: OperationTx, values: Readonly<Record<string, unknown>>) =>
            refuseNumbersOfCards(tx, { vault }, values),
        };
        return await spool(bytes, async (read) => {
          const batches = untilStopped(readRecordLines(read()), lifecycle.signal);
          return showAs(record_report, await reportRecords(ports, bankCall(call), batches));
        });
      },
    }),
  ];
}

/** The batches, until the process stops. Then throws a retryable `Fault`. */
async function* untilStopped(batches: AsyncIterable<readonly RecordLine[]>, signal: AbortSignal) {
  for await (const batch of batches) {
    if (signal.aborted) throw new Fault('the server stops; send the records again', { retryable: true });
    yield batch;
  }
}
