import {
  type Import,
  type ImportOptions,
  type ImportOutcome,
  type ImportPorts,
  ImportStopped,
  import_statuses,
  importFile,
  listImportQuarantine,
  listImports,
  readImport,
  releaseImport,
  replayImport,
} from '@tallystick/imports';
import { invalidQuery, isPrintable, maskCardNumbers, Refusal } from '@tallystick/kernel';
import * as z from 'zod';
import { type Answer, list, resource } from '../../answer/answer.ts';
import type { Lifecycle } from '../../operations/lifecycle.ts';
import { type Log, toLoggedError } from '../../operations/log.ts';
import type { Metrics } from '../../operations/metrics.ts';
import { createInterruption } from '../../request/interruption.ts';
import { namedIn, type Query, readChoiceFilter } from '../../request/query.ts';
import { type ApiRequest, type Route, route } from '../../request/route.ts';
import type { UploadPlace } from '../../request/uploads.ts';
import { callOf } from '../operator/routes.ts';
import { presentMinimalQuarantined, presentQuarantined } from '../quarantine/presenter.ts';
import { quarantined } from '../quarantine/shapes.ts';
import { presentImport, presentMinimalImport } from './presenter.ts';
import { import_resource, import_status, release_body } from './shapes.ts';

const path = '/operator/v1/imports';

const of_imports = { area: 'imports', tag: 'Operator' } as const;

/** The longest name of a file, in UTF-16 units. */
const name_length_max = 255;

const filter = z.object({ status: import_status, format: z.string() }).partial();

const text_parameters = z.object({
  name: z
    .string()
    .min(1)
    .max(name_length_max)
    .describe('The name of the file, for people')
    .meta({ examples: ['FILE'] }),
  format: z.string().optional().describe('The format; without it the first bytes of the file decide'),
  profile: z.string().optional().describe('The profile of a `csv` file'),
});

/** What the routes of imports need. */
export interface ImportRoutePorts {
  readonly imports: ImportPorts;
  readonly lifecycle: Pick<Lifecycle, 'enter' | 'signal'>;
  readonly metrics: Pick<Metrics, 'importEnded'>;
  readonly log: Log;
}

/** `/operator/v1/imports`: clearing files and bank statements (decision: imports). */
export function importRoutes(ports: ImportRoutePorts): readonly Route[] {
  const { imports } = ports;
  return [
    route({
      ...of_imports,
      method: 'POST',
      path,
      operation_id: 'operator.imports.create',
      summary: 'Import a clearing file or a file of bank statements',
      description:
        'The body is the file as it is, of any length. The answer comes when the import has ended, whatever its ' +
        'status; with `Prefer: respond-async` it is 202 as soon as the file is checked and staged. The same bytes ' +
        'are applied once: bytes that were completed before answer with the earlier import, and bytes that are ' +
        'being imported answer 409. A body that ends too early applies nothing.',
      query: { texts: Object.keys(text_parameters.shape) },
      text_parameters,
      uploads: ['application/octet-stream', 'application/xml', 'text/csv'],
      answer: import_resource,
      answers_early: true,
      receive: (request, body, keepFor) => receiveFile(ports, request, body, keepFor),
    }),
    route({
      ...of_imports,
      method: 'GET',
      path,
      operation_id: 'operator.imports.list',
      summary: 'List the imports, the highest id first',
      query: { paged: true, filters: namedIn(filter) },
      filter,
      answer: z.array(import_resource),
      async transaction(tx, { query }) {
        const status = readChoiceFilter(query, 'status', import_statuses);
        const format = query.filters.get('format');
        const wanted = { ...(status === undefined ? {} : { status }), ...(format === undefined ? {} : { format }) };
        return list(query, await listImports(tx, wanted, query.page), presentImport, presentMinimalImport);
      },
    }),
    route({
      ...of_imports,
      method: 'GET',
      path: `${path}/:id`,
      operation_id: 'operator.imports.read',
      summary: 'Read an import',
      answer: import_resource,
      async transaction(tx, { id }) {
        return resource(presentImport(await readImport(tx, id)));
      },
    }),
    route({
      ...of_imports,
      method: 'GET',
      path: `${path}/:id/quarantine`,
      operation_id: 'operator.imports.quarantine',
      summary: 'List the quarantined records of an import, newest first',
      query: { paged: true },
      answer: z.array(quarantined),
      async transaction(tx, { id, query }) {
        return list(
          query,
          await listImportQuarantine(tx, id, query.page),
          presentQuarantined,
          presentMinimalQuarantined,
        );
      },
    }),
    route({
      ...of_imports,
      method: 'POST',
      path: `${path}/:id/replay`,
      operation_id: 'operator.imports.replay',
      summary: 'Try the quarantined records of an import again, once the cause is gone',
      description:
        'In the order of the file. Records that are refused again stay in quarantine. Refused with 409 unless the import is completed.',
      refusals: ['conflict'],
      answer: import_resource,
      async perform(request) {
        const { signal } = ports.lifecycle;
        return resource(presentImport(await replayImport(imports, callOf(request), request.id, { signal })));
      },
    }),
    route({
      ...of_imports,
      method: 'POST',
      path: `${path}/:id/release`,
      operation_id: 'operator.imports.release',
      summary: 'Apply a held import',
      description:
        'The answer comes when the import has ended; it is 202 when this process stops before, and the next one ' +
        'applies the rest. Refused with 409 unless the import is held with a problem that may be accepted. ' +
        'Statements are checked again, and can be held with another problem.',
      refusals: ['conflict'],
      body: release_body,
      answer: import_resource,
      answers_early: true,
      perform: (request) =>
        startWork(ports, (options) =>
          releaseImport(imports, callOf(request), request.id, request.body.data.note, options),
        ).answer(),
    }),
  ];
}

async function receiveFile(
  ports: ImportRoutePorts,
  request: ApiRequest<undefined>,
  body: AsyncIterable<Uint8Array>,
  keepFor: UploadPlace['keepFor'],
): Promise<Answer> {
  const { imports, lifecycle, log } = ports;
  const { name, format, profile } = readParameters(request.query, imports);
  const open = () => untilStopped(body, lifecycle.signal);
  const source = { name: maskCardNumbers(name), open, is_repeatable: false, bytes_total: null };
  const { ended, staged, answer } = startWork(ports, (options) =>
    importFile(imports, callOf(request), source, { format, profile, ...options }),
  );
  if (request.query.prefers_async) {
    const first = await Promise.race([ended, staged]);
    if ('kind' in first) return answerOf(first);
    // The process does not end before this work, which stops after a batch.
    const leave = lifecycle.enter();
    const rest = ended
      .catch((error: unknown) => {
        if (error instanceof ImportStopped) return;
        log.error({ request_id: request.request_id, import_id: first.id, err: toLoggedError(error) }, 'import failed');
      })
      .finally(leave);
    keepFor(rest);
    return { ...accepted(first), headers: { 'Preference-Applied': 'respond-async' } };
  }
  return await answer();
}

/** An import that this process works on. */
interface Work {
  /** It has ended, or another process has it. */
  readonly ended: Promise<ImportOutcome>;
  /** Its records begin to be applied. Never resolves when that does not happen. */
  readonly staged: Promise<Import>;
  /**
   * The answer when this process has ended its work: 202 while another process applies the rest.
   */
  answer(): Promise<Answer>;
}

/** Starts work on an import, and counts its end. */
function startWork(
  { lifecycle, metrics }: Pick<ImportRoutePorts, 'lifecycle' | 'metrics'>,
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
  const answer = async (): Promise<Answer> => {
    try {
      const outcome = await ended;
      const is_continued = outcome.kind === 'in_progress' && staged_import !== null;
      return is_continued ? accepted(outcome.import) : answerOf(outcome);
    } catch (error) {
      // This process stops. The next one applies the rest.
      if (error instanceof ImportStopped && staged_import !== null) return accepted(staged_import);
      throw error;
    }
  };
  return { ended, staged: staged.promise, answer };
}

/**
 * The bytes, until the process stops: it does not wait for a slow sender. Then throws
 * `ImportStopped`.
 */
async function* untilStopped(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stopped = createInterruption();
  const stop = (): void => stopped.interrupt(new ImportStopped());
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const bytes = body[Symbol.asyncIterator]();
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

function answerOf({ kind, import: found }: ImportOutcome): Answer {
  if (kind !== 'in_progress') return resource(presentImport(found));
  throw new Refusal('conflict', `the same bytes are being imported already, as import ${found.id}`);
}

function accepted(staged: Import): Answer {
  return { ...resource(presentImport(staged)), status: 202 };
}

function readParameters(query: Query, { formats }: Pick<ImportPorts, 'formats'>) {
  const name = query.text('name');
  const format = query.text('format');
  if (name === undefined) throw invalidQuery({ path: 'name', message: 'is required: the name of the file' });
  if (!isPrintable(name)) throw invalidQuery({ path: 'name', message: 'must have no control characters' });
  if (name.length > name_length_max) {
    throw invalidQuery({ path: 'name', message: `must be at most ${name_length_max} characters long` });
  }
  if (format !== undefined && formats.find(format) === null) {
    throw invalidQuery({ path: 'format', message: `must be one of ${formats.names.join(', ')}` });
  }
  return { name, format, profile: query.text('profile') };
}
