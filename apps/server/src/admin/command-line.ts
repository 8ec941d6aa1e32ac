import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { machine_timers, nearestName, Refusal } from '@tallystick/kernel';
import { default_database_url, isSqlite, version } from 'tallystick/inversify';
import { type Config, ConfigError, readConfig } from '../configuration/config.ts';
import { UnusableFormats } from '../configuration/formats.ts';
import { closeContainer, createContainer, tokens } from '../container.ts';
import { parseOptions } from '../parse-options.ts';
import { describeDatabase, describeStartProblem } from '../start-problem.ts';
import { formatTerms, wrapText } from '../terminal-text.ts';
import { type AdminServices, type Command, type ParsedWords, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { readSecret } from './read-secret.ts';

export interface CommandOutput {
  out(text: string): void;
  err(text: string): void;
  /** Absent: standard input is read. */
  readonly readSecret?: AdminServices['readSecret'];
}

/** A program of several commands, as npm runs it. */
export interface Program {
  /** The start of its command line: `npm run admin --`. */
  readonly invocation: string;
  readonly commands: readonly Command[];
  /** Whether it migrates an older database; else it refuses it. */
  readonly migrates: boolean;
  /** Whether `--database-url` names the database, in place of `DATABASE_URL`. */
  readonly takes_database_url?: boolean;
}

const admin_program: Program = {
  invocation: 'npm run admin --',
  commands,
  migrates: true,
};

type Environment = Readonly<Record<string, string | undefined>>;

const report_every_ms = 5_000;

/**
 * Runs a command for operators, given as the words of a command line, on the database of the
 * environment. Returns the exit status: 0 done, 1 refused, failed or something wrong was found, 2
 * wrong command or configuration.
 */
export function admin(words: readonly string[], environment: Environment, output: CommandOutput): Promise<number> {
  return runProgram(admin_program, words, environment, output);
}

export async function runProgram(
  program: Program,
  words: readonly string[],
  environment: Environment,
  output: CommandOutput,
): Promise<number> {
  const command = program.commands.find(({ name }) =>
    name.split(' ').every((word, position) => words[position] === word),
  );
  if (command === undefined) return withoutCommand(program, words, output);
  let given: ParsedWords;
  try {
    given = parse(program, command, words.slice(command.name.split(' ').length));
  } catch (error) {
    output.err(`${wrapText((error as Error).message)}\n\n${usageOf(program, command)}`);
    return 2;
  }
  if (given.flags.has('help')) {
    output.out(usageOf(program, command));
    return 0;
  }
  try {
    const { data, text, status = 0 } = await run(program, command, given, environment, output);
    output.out(given.flags.has('json') ? JSON.stringify(data, null, 2) : text);
    return status;
  } catch (error) {
    const usage = error instanceof UsageError ? `\n\n${usageOf(program, command)}` : '';
    output.err(wrapText((error as Error).message) + usage);
    return [UsageError, ConfigError, UnusableFormats].some((kind) => error instanceof kind) ? 2 : 1;
  }
}

async function run(
  program: Program,
  command: Command,
  given: ParsedWords,
  environment: Environment,
  output: CommandOutput,
): ReturnType<Command['run']> {
  let config: Config | undefined;
  let opened: ReturnType<typeof createContainer> | undefined;
  let opened_persistence = false;
  let reported_ms = machine_timers.monotonicNow();
  const container = (): ReturnType<typeof createContainer> => {
    opened ??= createContainer(services.config(), { migrates: program.migrates });
    return opened;
  };
  const services: AdminServices = {
    config() {
      const database_url = given.values.get('database-url');
      const named = database_url === undefined ? {} : { DATABASE_URL: database_url };
      config ??= readConfig({ LOG_LEVEL: 'error', ...environment, ...named });
      return config;
    },
    keyRing: () => container().get(tokens.key_ring),
    vault: () => container().get(tokens.vault),
    clock: () => container().get(tokens.clock),
    urlPolicy: () => container().get(tokens.url_policy),
    async importPorts() {
      await services.persistence();
      return await container().getAsync(tokens.offline_imports);
    },
    async network() {
      await services.persistence();
      return await container().getAsync(tokens.offline_network);
    },
    async persistence() {
      if (opened_persistence) return await container().getAsync(tokens.persistence);
      reportDatabase(command, services.config(), output);
      opened_persistence = true;
      try {
        return await container().getAsync(tokens.persistence);
      } catch (error) {
        throw new Error(describeStartProblem(error, services.config()));
      }
    },
    readSecret: output.readSecret ?? readSecret,
    report: (line) => output.err(line),
    reportProgress(line) {
      if (machine_timers.monotonicNow() - reported_ms < report_every_ms) return;
      reported_ms = machine_timers.monotonicNow();
      output.err(line());
    },
  };
  try {
    return await command.run(services, given);
  } catch (error) {
    if (error instanceof Refusal && error.fields.length > 0) {
      throw new Error(error.fields.map(({ path, message }) => `${optionOf(command, path)} ${message}`).join('\n'));
    }
    throw error;
  } finally {
    if (opened !== undefined) await closeContainer(opened);
  }
}

/** Options whose value is JSON: a refusal also names the field in it. */
const json_options = ['changes', 'jwks'];

/** The option that sets a field; the field itself if no option does. */
function optionOf({ options = {} }: Command, path: string): string {
  const [first = '', ...inner] = path.replace(/^data\./, '').split('.');
  const field = first.replace(/\[.*/, '');
  const name = [field, field.replace(/^billing_|_id$|_names$|_per_minute$|_uris?$|s$/, '')]
    .map((word) => word.replaceAll('_', '-'))
    .find((word) => Object.hasOwn(options, word));
  if (name === undefined) return path;
  return inner.length > 0 && json_options.includes(name) ? `--${name}: ${inner.join('.')}` : `--${name}`;
}

/**
 * Shows on which database the command works. Throws an error if the SQLite file does not exist, and
 * the command must not create it.
 */
function reportDatabase({ may_create_database }: Command, { database_url }: Config, output: CommandOutput): void {
  if (!may_create_database) requireDatabase(database_url);
  const is_new = isSqlite(database_url) && !existsSync(resolve(database_url.slice('sqlite:'.length)));
  output.err(`${describeDatabase(database_url)}${is_new ? ' (does not exist yet, and is created now)' : ''}`);
}

/** There is no SQLite file at the address of the database. */
export class MissingDatabase extends Error {
  override readonly name = 'MissingDatabase';
}

/**
 * Throws `MissingDatabase`, with a sentence for the operator, if this SQLite file does not exist.
 */
export function requireDatabase(database_url: string): void {
  if (!isSqlite(database_url)) return;
  const path = resolve(database_url.slice('sqlite:'.length));
  if (existsSync(path)) return;
  throw new MissingDatabase(
    database_url === default_database_url
      ? `There is no database at ${path}, the default; "npm start" creates the sandbox there. Another one is named by DATABASE_URL.`
      : `There is no database at ${path}; check DATABASE_URL. "npm run admin -- migrate" creates one.`,
  );
}

function parse(program: Program, command: Command, words: readonly string[]): ParsedWords {
  const { values, positionals } = parseOptions({
    args: [...words],
    options: {
      ...Object.fromEntries(Object.keys(command.options ?? {}).map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries(Object.keys(command.flags ?? {}).map((name) => [name, { type: 'boolean' as const }])),
      ...(program.takes_database_url ? { 'database-url': { type: 'string' as const } } : {}),
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const entries: (readonly [string, string | boolean | undefined])[] = Object.entries(values);
  const given: ParsedWords = {
    values: new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    argument: positionals[0] ?? '',
  };
  if (given.flags.has('help')) return given;
  const wanted = command.argument === undefined ? 0 : 1;
  if (positionals.length < wanted) throw new UsageError(`<${command.argument}> is missing`);
  if (positionals.length > wanted) {
    throw new UsageError(`"${positionals[wanted]}" is an unexpected word; a text of several words needs quotes`);
  }
  return given;
}

/**
 * Shows the usage of the commands that begin with the first word (`company`), or of all commands.
 */
function withoutCommand(program: Program, words: readonly string[], output: CommandOutput): number {
  const { commands } = program;
  const of_first_word = commands.filter(({ name }) => name.split(' ')[0] === words[0]);
  if (words[0] === '--version') {
    output.out(version);
    return 0;
  }
  const shown = overview(program, of_first_word.length > 0 ? of_first_word : commands);
  if (words[0] === 'help' || words.includes('--help') || words.includes('-h')) {
    output.out(shown);
    return 0;
  }
  output.err(words.length === 0 ? shown : `${describeUnknownCommand(program, words)}\n\n${shown}`);
  return 2;
}

function describeUnknownCommand({ commands }: Program, words: readonly string[]): string {
  const first_option = words.findIndex((word) => word.startsWith('-'));
  const name = words.slice(0, first_option === -1 ? 2 : Math.min(first_option, 2)).join(' ');
  const nearest = nearestName(
    name,
    commands.map((command) => command.name),
  );
  return `There is no command "${name}"${nearest === null ? '.' : `; did you mean "${nearest}"?`}`;
}

function overview({ invocation }: Program, shown: readonly Command[]): string {
  return [
    `Usage: ${invocation} <command> [options] [--json]`,
    '',
    'Works on the database of DATABASE_URL with the key ring, as the',
    'server does. Without both settings it works on the sandbox in data/.',
    '',
    ...formatTerms(shown.map(({ name, summary }) => [name, summary])),
    '',
    `${invocation} <command> --help lists its options.`,
  ].join('\n');
}

/** What the value of an option is; a text when it is not here. */
const hints: Readonly<Record<string, string>> = {
  after: 'number',
  card: 'id',
  company: 'id',
  expires: 'date',
  from: 'date',
  'hold-days': 'days',
  jwks: 'file|url',
  known: 'number:link',
  limit: 'number',
  'rate-limit': 'number',
  redirect: 'url',
  role: 'role',
  status: 'status',
  through: 'number|date',
  version: 'number',
  to: 'date',
};

function usageOf(
  { invocation, takes_database_url }: Program,
  { name, argument, summary, options = {}, flags = {} }: Command,
): string {
  const rows = [
    ...Object.entries(options).map(([option, about]) => [`--${option} <${hints[option] ?? 'text'}>`, about] as const),
    ...Object.entries(flags).map(([flag, about]) => [`--${flag}`, about] as const),
    ...(takes_database_url
      ? [['--database-url <url>', 'the database, in place of DATABASE_URL; without both the sandbox in data/'] as const]
      : []),
    ['--json', 'answer in JSON'] as const,
  ];
  return [
    `Usage: ${invocation} ${name}${argument === undefined ? '' : ` <${argument}>`} [options]`,
    '',
    wrapText(`${summary}.`, '', '', 80),
    '',
    ...formatTerms(rows),
  ].join('\n');
}
