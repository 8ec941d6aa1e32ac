import { resolve } from 'node:path';
import {
  type Import,
  type ImportOptions,
  type ImportPorts,
  ImportStopped,
  importFile,
  previewFile,
} from '@tallystick/imports';
import { type Clock, maskCardNumbers, nearestName, Refusal } from '@tallystick/kernel';
import { catchUpAll, type LeftoverWalk, type ReconciliationPorts } from '@tallystick/reconciliation';
import {
  type Config,
  ConfigError,
  closeContainer,
  createContainer,
  describeDatabase,
  describeStartProblem,
  MissingDatabase,
  readConfig,
  readProfile,
  requireDatabase,
  tokens,
  UnusableFormats,
  version,
} from '@tallystick/server';
import { type ExitStatus, exitStatusOf, type FileStatus, previewStatusOf, worstOf } from './exit-status.ts';
import {
  describeOutcome,
  describePreview,
  describeRecord,
  describeResume,
  describeWaiting,
  reportOf,
} from './file-report.ts';
import { type FoundSource, findSources, UnusableSources } from './import-sources.ts';
import { databaseOption, type ImportWords, import_usage, readImportWords } from './import-words.ts';
import { chooseDisplay, createStopSignal, type ProgressTerminal } from './progress-display.ts';

export interface Terminal extends ProgressTerminal {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: { write(text: string): unknown };
  cwd(): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs `npm run import` with these words, and returns its exit status. */
export async function runImport(
  words: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<ExitStatus> {
  let asked: ImportWords;
  try {
    asked = readImportWords(words);
  } catch (error) {
    terminal.stderr.write(`${(error as Error).message}\n\n${import_usage}\n`);
    return 2;
  }
  if (asked.help || asked.version) {
    terminal.stdout.write(`${asked.help ? import_usage : version}\n`);
    return 0;
  }
  let config: Config;
  let sources: readonly FoundSource[];
  try {
    // npm runs a script in the folder of the project, and names the one of the person.
    const folder = environment.INIT_CWD ?? terminal.cwd();
    sources = await findSources(asked.files, folder, terminal.stdin, { may_be_none: asked.allow_empty });
    config = readConfig({ LOG_LEVEL: 'error', ...environment, ...databaseOf(asked) });
    const profile_path = profileFile(asked, folder);
    if (profile_path !== null) {
      const { name } = await readProfile(profile_path);
      asked = { ...asked, profile: name };
      config = { ...config, csv_profiles: [...(await profilesBeside(name, config)), profile_path] };
    }
  } catch (error) {
    if (![UnusableSources, ConfigError, UnusableFormats].some((kind) => error instanceof kind)) throw error;
    terminal.stderr.write(`${(error as Error).message}\n`);
    return 2;
  }
  if (sources.length === 0) {
    if (!asked.quiet) terminal.stderr.write('no file matches: nothing to import\n');
    return 0;
  }
  return await importAll(asked, config, sources, terminal);
}

function databaseOf({ database_url }: ImportWords): Environment {
  return database_url === undefined ? {} : { DATABASE_URL: database_url };
}

/** The path of a profile that is a file; null for the name of a profile. */
function profileFile({ profile }: ImportWords, folder: string): string | null {
  return profile !== undefined && /\.json$/i.test(profile) ? resolve(folder, profile) : null;
}

/**
 * The configured profiles of other names. A file of the command line replaces those of its name.
 */
async function profilesBeside(name: string, { csv_profiles }: Config): Promise<readonly string[]> {
  const profiles = await Promise.all(csv_profiles.map((path) => readProfile(path)));
  return csv_profiles.filter((_, at) => profiles[at]!.name !== name);
}

async function importAll(
  asked: ImportWords,
  config: Config,
  sources: readonly FoundSource[],
  terminal: Terminal,
): Promise<ExitStatus> {
  const say = (line: string): void => void terminal.stderr.write(`${line}\n`);
  const container = createContainer(config, { migrates: false });
  try {
    let ports: ImportPorts;
    try {
      requireDatabase(config.database_url);
      ports = await container.getAsync(tokens.offline_imports);
    } catch (error) {
      say(error instanceof MissingDatabase ? error.message : describeStartProblem(error, config));
      return error instanceof UnusableFormats ? 2 : 1;
    }
    const unknown_name = describeUnknownName(asked, ports);
    if (unknown_name !== null) {
      say(unknown_name);
      return 2;
    }
    const persistence = await container.getAsync(tokens.persistence);
    const clock = await container.getAsync(tokens.clock);
    const stop = createStopSignal(terminal);
    const catchUpItems = (): Promise<void> => catchUpAfterImport(persistence.long_work, clock, stop);
    if (!asked.quiet && !asked.json) say(describeDatabase(config.database_url));
    const statuses: FileStatus[] = [];
    for (const source of sources) {
      statuses.push(
        stop.aborted
          ? reportFailure(asked, source, not_begun, terminal)
          : await importOne(asked, { ...ports, catchUpItems }, source, stop, terminal),
      );
    }
    return worstOf(statuses);
  } finally {
    await closeContainer(container);
  }
}

/** The format or the profile that no file can have; null: none. */
function describeUnknownName(
  { format, profile }: ImportWords,
  { formats }: Pick<ImportPorts, 'formats'>,
): string | null {
  if (format !== undefined && formats.find(format) === null) {
    return `there is no format "${format}"; these are: ${formats.names.join(', ')}`;
  }
  const possible = format === undefined ? formats.names : [format];
  const profiles = possible.flatMap((name) => formats.find(name)?.profiles ?? []);
  if (profile === undefined || profiles.includes(profile)) return null;
  const of = format === undefined ? '' : ` of ${format}`;
  const nearest = nearestName(profile, profiles);
  const hint = nearest === null ? 'the file of a profile has a name that ends in .json' : `did you mean ${nearest}?`;
  const known = profiles.length === 0 ? 'it has none' : `these are: ${profiles.join(', ')}; ${hint}`;
  return `there is no profile "${profile}"${of}; ${known}`;
}

async function importOne(
  asked: ImportWords,
  ports: ImportPorts & { catchUpItems(): Promise<void> },
  source: FoundSource,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<FileStatus> {
  const { stdout, stderr } = terminal;
  const { quiet, json, dry_run } = asked;
  const display = chooseDisplay(stderr, source.shown, { quiet, json: json || dry_run });
  const waiting: Import[] = [];
  const options: ImportOptions = {
    format: asked.format,
    profile: asked.profile,
    signal,
    onProgress: (progress) => display.show(progress),
    onWaitingEnded: (ended) => void waiting.push(ended),
    onResumed: (found, settings) => display.say(describeResume(found, settings)),
  };
  const out = (text: string): void => {
    display.end();
    stdout.write(`${text}\n`);
  };
  try {
    if (asked.dry_run && asked.json) return await previewAsJson(ports, source, options, stdout, out);
    if (asked.dry_run) return await preview(ports, source, options, out);
    const call = { actor: 'command', request_id: null, now_ms: ports.clock.nowMs() };
    const outcome = await importFile(ports, call, source, options);
    await ports.catchUpItems();
    out(
      asked.json
        ? JSON.stringify(reportOf(source.shown, outcome, waiting))
        : [
            describeOutcome(source.shown, outcome, databaseOption(asked.database_url)),
            ...waiting.map(describeWaiting),
          ].join('\n'),
    );
    return exitStatusOf(outcome);
  } catch (error) {
    display.end();
    return reportFailure(asked, source, describeFailure(error, asked, source), terminal);
  }
}

async function preview(
  ports: ImportPorts,
  source: FoundSource,
  options: ImportOptions,
  out: (text: string) => void,
): Promise<FileStatus> {
  const found = await previewFile(ports, source, options, (record) => out(describeRecord(record)));
  out(describePreview(source.shown, found));
  return previewStatusOf(found);
}

/**
 * Previews one file as a JSON object. Writes records as they come, because a file may have
 * millions.
 */
async function previewAsJson(
  ports: ImportPorts,
  source: FoundSource,
  options: ImportOptions,
  stdout: Terminal['stdout'],
  out: (text: string) => void,
): Promise<FileStatus> {
  let separator = '';
  stdout.write(`{"file":${JSON.stringify(source.shown)},"records":[`);
  const end = (members: object): void => out(`],${JSON.stringify(members).slice(1)}`);
  try {
    const preview = await previewFile(ports, source, options, (record) => {
      stdout.write(separator + JSON.stringify(record));
      separator = ',';
    });
    end({ outcome: 'previewed', preview });
    return previewStatusOf(preview);
  } catch (error) {
    const { outcome, status, message } = describeFailure(error, { dry_run: true }, source);
    end({ outcome, error: message });
    return status;
  }
}

interface Failure {
  readonly outcome: string;
  readonly status: FileStatus;
  readonly message: string;
}

const not_begun: Failure = { outcome: 'not_begun', status: 1, message: 'not begun' };

function describeFailure(
  error: unknown,
  { dry_run }: Pick<ImportWords, 'dry_run'>,
  { is_repeatable }: FoundSource,
): Failure {
  // The format of the file does not have the profile.
  if (error instanceof Refusal) return { outcome: 'refused', status: 3, message: maskCardNumbers(error.message) };
  const again = dry_run ? 'run the same command again' : 'the same command continues it';
  const then = is_repeatable ? again : 'run the same command with the same input again';
  if (error instanceof ImportStopped) return { outcome: 'stopped', status: 1, message: `stopped; ${then}` };
  const message = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', status: 1, message: `${maskCardNumbers(message)}; ${then}` };
}

function reportFailure(
  { json }: ImportWords,
  { shown }: FoundSource,
  { outcome, status, message }: Failure,
  { stdout, stderr }: Terminal,
): FileStatus {
  if (json) stdout.write(`${JSON.stringify({ file: shown, outcome, error: message })}\n`);
  else stderr.write(`${shown}: ${message}\n`);
  return status;
}

/**
 * Brings the items of reconciliation up to date with what was imported, even if no server runs.
 * Skips what another process is bringing up to date. A stop leaves the rest to the server.
 */
export async function catchUpAfterImport(
  unitOfWork: ReconciliationPorts['unitOfWork'],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const walks = new Map<number, LeftoverWalk>();
  for (let is_pending = true; is_pending; ) {
    const { is_pending: is_more, taken } = await catchUpAll({ unitOfWork, clock }, { steps_max: 20, signal, walks });
    is_pending = is_more && taken > 0 && !signal.aborted;
  }
}
