import {
  type Import,
  type ImportOptions,
  type ImportOutcome,
  type ImportPorts,
  type ImportStatement,
  ImportStopped,
  import_statement_statuses,
  import_statuses,
  importFile,
  listImportQuarantine,
  listImportStatements,
  listImports,
  type PreviewedRecord,
  previewFile,
  readImport,
  releaseImport,
  replayImport,
} from '@tallystick/imports';
import { invalidQuery, isName, maskCardNumbers, Refusal, toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { createInterruption } from '../call/interruption.ts';
import { type Query, readChoiceFilter, withoutAbsent } from '../call/query.ts';
import { showAs } from '../fields.ts';
import {
  type EarlyAnswer,
  Interim,
  type Operation,
  type OperationCall,
  operation,
  operatorCall,
  own_transactions,
  present,
} from '../operation.ts';
import { presentQuarantined } from '../quarantine/operations.ts';
import { quarantined } from '../quarantine/shapes.ts';
import {
  import_preview,
  import_resource,
  import_statement,
  import_status,
  previewed_records_max,
  release_body,
  replay_body,
} from './shapes.ts';

/** So many bytes of a file a preview reads, and the rest of the record in which they end. */
export const preview_bytes_max = 4 * 1024 * 1024;

/** The longest name of a file, in characters (code points). */
const name_length_max = 255;

const filter = z
  .object({
    status: import_status.describe('Only imports with this status'),
    format: z.string().describe('Only imports of this format, such as `cdf3`'),
    name_prefix: z.string().describe('Only imports of files whose name begins with this text'),
  })
  .partial();

const statement_filter = z
  .object({ status: z.enum(import_statement_statuses).describe('Only statements with this status') })
  .partial();

const texts = z.object({
  name: z
    .string()
    .min(1)
    .max(name_length_max)
    .describe('The name of the file, for people')
    .meta({ examples: ['FILE'] }),
  format: z.string().optional().describe('The format; without it the first bytes of the file decide'),
  profile: z.string().optional().describe('The profile of a `csv` file'),
});

export interface ImportOperationPorts {
  readonly imports: ImportPorts;
  readonly lifecycle: {
    /** Aborted when the process stops. */
    readonly signal: AbortSignal;
    /** Counts work in progress. Returns a function to call once, at its end. */
    enter(): () => void;
  };
  readonly metrics: {
    /** Counts an import that ended. */
    importEnded(ended: Import): void;
  };
  /** Reports the failure of an import after the result of its call. */
  readonly importFailed: (error: unknown, import_id: number, request_id: string) => void;
}

/** Imports: clearing files and bank statements (decision: imports). */
export function importOperations(ports: ImportOperationPorts): readonly Operation[] {
  const { imports } = ports;
  return [
    operation('imports', {
      id: 'operator.imports.create',
      summary: 'Import a clearing file or a file of bank statements',
      description:
        'The file is of any length. The result comes when the import has ended, whatever its status; a caller may ' +
        'prefer it early, as soon as the file is checked and staged. The same bytes are applied once: bytes that ' +
        'were completed before return the earlier import, and bytes that are being imported are refused ' +
        '(`conflict`). A file that ends too early applies nothing.',
      query: { texts },
      runs_alone: own_transactions,
      answer: import_resource,
      answers_early: true,
      receive: (call, bytes, preference) => receiveFile(ports, call, bytes, preference),
    }),
    operation('imports', {
      id: 'operator.imports.preview',
      summary: 'Show what an import of a file would do',
      description:
        `Nothing is stored. Of a long file the records of the first ${preview_bytes_max / 1024 / 1024} MB are checked. ` +
        'Each is compared with the cards as they are, at most a few thousand together.',
      query: { texts },
      runs_alone: own_transactions,
      answer: import_preview,
      receive: (call, bytes) => preview(ports, call, bytes),
    }),
    operation('imports', {
      id: 'operator.imports.list',
      summary: 'List the imports, the highest id first',
      query: { paged: true, filter },
      answer: z.array(import_resource),
      async read(tx, { query }) {
        const status = readChoiceFilter(query, 'status', import_statuses);
        const { filters } = query;
        const wanted = { status, format: filters.get('format'), name_prefix: filters.get('name_prefix') };
        return present(await listImports(tx, withoutAbsent(wanted), query.page), presentImport);
      },
    }),
    operation('imports', {
      id: 'operator.imports.read',
      summary: 'Read an import',
      parameters: ['id'],
      answer: import_resource,
      async read(tx, { id }) {
        return presentImport(await readImport(tx, id));
      },
    }),
    operation('imports', {
      id: 'operator.imports.quarantine',
      summary: 'List the quarantined records of an import, newest first',
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(quarantined),
      async read(tx, { id, query }) {
        return present(await listImportQuarantine(tx, id, query.page), presentQuarantined);
      },
    }),
    operation('imports', {
      id: 'operator.imports.statements',
      summary: 'List the statements of an imported file and what became of them, the last of the file first',
      parameters: ['id'],
      query: { paged: true, filter: statement_filter },
      answer: z.array(import_statement),
      async read(tx, { id: import_id, query }) {
        const status = readChoiceFilter(query, 'status', import_statement_statuses);
        const found = await listImportStatements(tx, { import_id, ...withoutAbsent({ status }) }, query.page);
        return present(found, presentStatement);
      },
    }),
    operation('imports', {
      id: 'operator.imports.replay',
      summary: 'Try the quarantined records and the held statements of an import again, once the cause is gone',
      parameters: ['id'],
      description:
        'In the order of the file. What is refused again stays as it is. Refused (`conflict`) unless the import is ' +
        'completed or has held statements.',
      refusals: ['conflict'],
      body: replay_body,
      data_is_optional: true,
      runs_alone: own_transactions,
      answer: import_resource,
      async perform(call) {
        const { signal } = ports.lifecycle;
        const { statement } = call.body.data;
        return presentImport(await replayImport(imports, operatorCall(call), call.id, { signal, statement }));
      },
    }),
    operation('imports', {
      id: 'operator.imports.release',
      summary: 'Apply a held import, or held statements of one',
      parameters: ['id'],
      description:
        'The result comes when the import has ended, or when this process stops before: then the next one ' +
        'applies the rest. Refused (`conflict`) unless something of it is held with a problem that may be accepted. ' +
        'Statements are checked again, and can be held with another problem. A statement with other lines than the ' +
        'known one brings the lines that are not recorded.',
      refusals: ['conflict'],
      body: release_body,
      runs_alone: own_transactions,
      answer: import_resource,
      answers_early: true,
      perform: (call) => {
        const { note, statement } = call.body.data;
        return startWork(ports, (options) =>
          releaseImport(imports, operatorCall(call), call.id, note, { ...options, statement }),
        ).result();
      },
    }),
  ];
}

async function receiveFile(
  ports: ImportOperationPorts,
  call: OperationCall<undefined>,
  bytes: AsyncIterable<Uint8Array>,
  { prefers_early, keepFor }: EarlyAnswer,
): Promise<unknown> {
  const { imports, lifecycle, importFailed } = ports;
  const { name, format, profile } = readTexts(call.query, imports);
  const open = () => untilStopped(bytes, lifecycle.signal);
  const source = { name: maskCardNumbers(name), open, is_repeatable: false, bytes_total: null };
  const { ended, staged, result } = startWork(ports, (options) =>
    importFile(imports, operatorCall(call), source, { format, profile, ...options }),
  );
  if (!prefers_early) return await result();
  const first = await Promise.race([ended, staged]);
  if ('kind' in first) return resultOf(first);
  // The process does not end before this work, which stops after a batch.
  const leave = lifecycle.enter();
  const rest = ended
    .catch((error: unknown) => {
      if (!(error instanceof ImportStopped)) importFailed(error, first.id, call.request_id);
    })
    .finally(leave);
  keepFor(rest);
  return accepted(first);
}

async function preview(
  { imports, lifecycle }: ImportOperationPorts,
  { query }: OperationCall<undefined>,
  bytes: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  const { name, format, profile } = readTexts(query, imports);
  const { signal } = lifecycle;
  const source = { name, open: () => untilStopped(bytes, signal), is_repeatable: false, bytes_total: null };
  const first_records: ReturnType<typeof presentPreviewed>[] = [];
  const problems: typeof first_records = [];
  const accounts = new Set<string>();
  const sums = new Map<string, bigint>();
  const period: Record<'from' | 'through', string | null> = { from: null, through: null };
  const found = await previewFile(imports, source, { format, profile, signal, bytes_max: preview_bytes_max }, (one) => {
    const shown = presentPreviewed(one);
    const { date, amount, currency, account_number, outcome } = shown;
    if (first_records.length < previewed_records_max) first_records.push(shown);
    if (outcome === 'quarantined' && problems.length < previewed_records_max) problems.push(shown);
    if (account_number !== null && accounts.size < previewed_records_max) accounts.add(account_number);
    if (date !== null && (period.from === null || date < period.from)) period.from = date;
    if (date !== null && (period.through === null || date > period.through)) period.through = date;
    if (amount !== null && currency !== null) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
  });
  return showAs(import_preview, {
    ...found,
    known_import_id: found.known_import_id === null ? null : String(found.known_import_id),
    accounts: [...accounts],
    ...period,
    sums: Object.fromEntries([...sums].map(([currency, sum]) => [currency, String(sum)])),
    first_records,
    problems,
    type: 'import_preview',
  });
}

function presentPreviewed(record: PreviewedRecord) {
  const { account_number, amount, clearing_type, explanation, settlement_date, booking_date } = record;
  return {
    ...record,
    account_number: account_number && maskCardNumbers(account_number),
    date: settlement_date ?? booking_date,
    amount: amount !== null && clearing_type === 'CREDIT' ? -amount : amount,
    explanation: explanation && maskCardNumbers(explanation),
  };
}

/** An import that this process works on. */
interface Work {
  /** It has ended, or another process has it. */
  readonly ended: Promise<ImportOutcome>;
  /** Its records begin to be applied. Never resolves when that does not happen. */
  readonly staged: Promise<Import>;
  /** The import when this process has ended its work: accepted while another one applies the rest. */
  result(): Promise<unknown>;
}

/** Starts work on an import, and counts its end. */
function startWork(
  { lifecycle, metrics }: Pick<ImportOperationPorts, 'lifecycle' | 'metrics'>,
  start: (options: Pick<ImportOptions, 'signal' | 'onStaged' | 'onWaitingEnded'>) => Promise<ImportOutcome>,
): Work {
  const staged = Promise.withResolvers<Import>();
  let staged_import: Import | null = null;
  const onStaged = (found: Import): void => {
    staged_import = found;
    staged.resolve(found);
  };
  const onWaitingEnded = (one: Import): void => metrics.importEnded(one);
  const ended = start({ signal: lifecycle.signal, onStaged, onWaitingEnded }).then((outcome) => {
    if (outcome.kind === 'imported') metrics.importEnded(outcome.import);
    return outcome;
  });
  const result = async (): Promise<unknown> => {
    try {
      const outcome = await ended;
      const is_continued = outcome.kind === 'in_progress' && staged_import !== null;
      return is_continued ? accepted(outcome.import) : resultOf(outcome);
    } catch (error) {
      // This process stops. The next one applies the rest.
      if (error instanceof ImportStopped && staged_import !== null) return accepted(staged_import);
      throw error;
    }
  };
  return { ended, staged: staged.promise, result };
}

/**
 * The bytes, until the process stops: it does not wait for a slow sender. Then throws
 * `ImportStopped`.
 */
async function* untilStopped(file: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stopped = createInterruption();
  const stop = (): void => stopped.interrupt(new ImportStopped());
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const bytes = file[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await stopped.during(bytes.next());
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // After a stop the next bytes may never come.
    if (!signal.aborted) await bytes.return?.();
  }
}

function resultOf({ kind, import: found }: ImportOutcome) {
  if (kind !== 'in_progress') return presentImport(found);
  throw new Refusal('conflict', `the same bytes are being imported already, as import ${found.id}`);
}

function accepted(staged: Import): Interim {
  return new Interim('accepted', presentImport(staged));
}

function readTexts(query: Query, { formats }: Pick<ImportPorts, 'formats'>) {
  const name = query.text('name');
  const format = query.text('format');
  if (name === undefined) throw invalidQuery({ path: 'name', message: 'is required: the name of the file' });
  if (!isName(name, name_length_max)) {
    const message = `must have 1 to ${name_length_max} characters, no control characters, and not only blank or invisible ones`;
    throw invalidQuery({ path: 'name', message });
  }
  if (format !== undefined && formats.find(format) === null) {
    throw invalidQuery({ path: 'format', message: `must be one of ${formats.names.join(', ')}` });
  }
  return { name, format, profile: query.text('profile') };
}

export function presentStatement(found: ImportStatement) {
  return showAs(import_statement, { ...found, type: 'import_statement' });
}

export function presentImport(found: Import) {
  return showAs(import_resource, {
    ...found,
    id: String(found.id),
    started_at: toInstantText(found.started_at_ms),
    finished_at: found.finished_at_ms === null ? null : toInstantText(found.finished_at_ms),
    type: 'import',
    url: `/operator/v1/imports/${found.id}`,
  });
}
