import { randomInt } from 'node:crypto';
import { extname, join, resolve } from 'node:path';
import { clearing_formats } from '@tallystick/clearing-files';
import { Temporal } from '@tallystick/kernel';
import { createSampleSet, format_abilities, type SampleSet } from '@tallystick/samples';
import { ConfigError, formatTerms, parseOptions, UsageError } from '@tallystick/server';
import { databaseOption } from '../import-words.ts';
import { chooseDisplay, type ProgressStream } from '../progress-display.ts';
import { loadIntoDatabase } from './load-database.ts';
import { loadOverHttp } from './load-server.ts';
import { countMessages, inventedCard, type Loading, machineDay, sendMessages } from './loading.ts';
import { beginMonth, days_of_file, reportLines, stepsOfMonth } from './month.ts';
import { createFolder, type SetFiles, statement_format_names, writeSet, written_formats } from './write-set.ts';

/** The deposit account of the sandbox's company. */
const account_default = '1000000001';

/** By then every hold of a set is over, and every line is due. */
const today_days_default = 47;

/** What a month has where no option says otherwise. */
const month_defaults = { cards: 20, days: 28, format: 'csv', statements: 'bai2' } as const;

const terms: readonly (readonly [string, string])[] = [
  ['--cards <n>', `how many cards; with --breaks ${month_defaults.cards} by default`],
  ['--records <n>', 'how many clearings, in all files together; with --breaks, how many purchases'],
  ['--format <name>', `${written_formats.join(', ')}; with --breaks ${month_defaults.format} by default`],
  ['--breaks <share>', 'a month to close: purchases of which this share are breaks, 0.01 is 1 %'],
  ['--days <n>', `the days of its authorizations; default ${month_defaults.days}`],
  ['--variant <name>', `a way to write the format: ${variantList()}`],
  ['--seed <n>', 'the same number makes the same set; random when absent'],
  [
    '--date <YYYY-MM-DD>',
    'the day of the authorizations; today when absent. With --load, today only; with --breaks the first one, to which --load moves the clock',
  ],
  ['--files <n>', 'how many files the clearings are in; default 1, of a month one a week'],
  ['--sequence <n>', 'the number of the first file in its series; made from the seed when absent'],
  [
    '--statements <name>',
    `also the statements of an account, a file for each day: ${statement_format_names.join(', ')}`,
  ],
  ['--account <number>', `the account that they are of; default ${account_default}`],
  [
    '--today <YYYY-MM-DD>',
    `the day at whose end the answers about items hold; default ${today_days_default} days after --date`,
  ],
  ['--out <folder>', 'default data/sample-files/<format>-<seed>; must be empty or absent'],
  ['--load', 'also creates the cards and sends the authorizations, to a sandbox:'],
  ['--database-url <url>', 'in this database; default DATABASE_URL'],
  ['--url <address>', 'or at this server'],
  ['--json', 'the summary as JSON'],
  ['--help', 'show this text'],
];

const usage = `Usage: npm run sample-files -- --cards <n> --records <n> --format <name>
                               [options]

Makes a set of samples: cards, authorizations, clearing files, on request
statement files that fit them, and the answers that an import of the files must
come to. The folder's README.txt says what each file is.

${formatTerms(terms).join('\n')}`;

export interface CommandOutput {
  out(text: string): void;
  err(text: string): void;
  readonly stderr: ProgressStream;
}

type Options = NonNullable<ReturnType<typeof readOptions>>;

/** Where the cards are created; null: nowhere. */
type Load = { readonly url: string } | { readonly database_url: string | undefined } | null;

/**
 * Creates a set of files. Returns the exit status: 0 done, 1 failed, 2 wrong options or
 * configuration.
 */
export async function sampleFiles(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: CommandOutput,
): Promise<number> {
  let options: Options | null;
  try {
    options = readOptions(words);
  } catch (error) {
    output.err(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (options === null) {
    output.out(usage);
    return 0;
  }
  try {
    const { set, files } = await makeSet(options, environment, output);
    output.out(options.json ? JSON.stringify(summaryOf(set, files), null, 2) : describe(set, files, options));
    return 0;
  } catch (error) {
    output.err((error as Error).message);
    return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
  }
}

async function makeSet(
  options: Options,
  environment: Readonly<Record<string, string | undefined>>,
  output: CommandOutput,
): Promise<{ readonly set: SampleSet; readonly files: SetFiles }> {
  const { load, cards, records, seed, format, date, month } = options;
  // npm runs a script in the folder of the project, and names the one of the person.
  const folder = resolve(environment.INIT_CWD ?? '.', options.out);
  createFolder(folder);
  const loading = await openLoading(load, environment);
  const display = chooseDisplay(output.stderr, options.out, { quiet: false, json: options.json });
  const show = (phase: 'creating' | 'sending', records: number, records_total: number): void =>
    display.show({ phase, bytes: 0, bytes_total: null, records, records_total });
  const report = (line: string): void => {
    display.end();
    output.err(line);
  };
  try {
    const day =
      loading === null
        ? (date ?? machineDay())
        : await (month === undefined ? loading.day(date) : beginMonth(loading, date));
    const set = createSampleSet({
      ...{ cards, records, seed, format, day, statements: options.statements !== null },
      ...(month === undefined ? {} : { month }),
    });
    const last_day = set.month?.late_day ?? Temporal.PlainDate.from(day).add({ days: today_days_default }).toString();
    const today = options.today ?? last_day;
    const cardOf =
      loading === null ? inventedCard : await loading.createCards(set, (created) => show('creating', created, cards));
    if (loading !== null) report(`created ${cards} cards`);
    const statements =
      options.statements === null ? null : { format: options.statements, account: options.account, today };
    const files = writeSet(set, cardOf, { ...options, statements, folder, is_loaded: loading !== null });
    report(`wrote ${folder}`);
    if (loading !== null) {
      const messages = countMessages(set, cardOf);
      const { authorizations, clearings } = await sendMessages(loading, set, cardOf, (sent) =>
        show('sending', sent, messages),
      );
      if (set.month !== null) await reportLines(loading, [...set.reported(options.account)]);
      report(`sent ${authorizations} authorization messages and ${clearings} clearings`);
    }
    return { set, files };
  } finally {
    display.end();
    await loading?.close();
  }
}

async function openLoading(
  load: Load,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Loading | null> {
  if (load === null) return null;
  if ('url' in load) return loadOverHttp(load.url);
  const { database_url } = load;
  return await loadIntoDatabase(
    database_url === undefined ? environment : { ...environment, DATABASE_URL: database_url },
  );
}

function summaryOf(set: SampleSet, { folder, clearing_files, statement_files, late_files }: SetFiles) {
  const { statements, ...options } = set.options;
  return {
    ...options,
    folder,
    clearing_files,
    ...(statements === true ? { statement_files } : {}),
    ...(set.month === null ? {} : { late_files, ...set.month }),
  };
}

function describe(set: SampleSet, files: SetFiles, { load }: Options): string {
  const { folder, clearing_files, statement_files } = files;
  const { cards, records, seed } = set.options;
  const made = `${cards} cards, ${records} ${set.month === null ? 'clearings' : 'purchases'}, seed ${seed}: ${folder}`;
  if (load === null) return made;
  const where = 'database_url' in load ? databaseOption(load.database_url) : '';
  const next = 'url' in load ? `Next, with the DATABASE_URL and the keys of the server at ${load.url}` : 'Next';
  if (set.month !== null) {
    return `${made}\n${next}:\n${stepsOfMonth(set.month, files.late_files.length > 0, { folder: `${folder}/`, database: where })}`;
  }
  const command = `${made}\n${next}: npm run import --${where} ${clearing_files.join(' ')}`;
  if (statement_files.length === 0) return command;
  const pattern = join(folder, `statement-*${extname(statement_files[0]!)}`);
  return `${command}\nThen: npm run import --${where} "${pattern}"`;
}

/**
 * Returns null if only the usage is to be shown. Throws an error that describes invalid options.
 */
function readOptions(words: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseOptions({
    args: [...words],
    options: {
      cards: text,
      records: text,
      breaks: text,
      days: text,
      format: text,
      variant: text,
      seed: text,
      date: text,
      files: text,
      sequence: text,
      statements: text,
      account: text,
      today: text,
      out: text,
      load: flag,
      'database-url': text,
      url: text,
      json: flag,
      help: { ...flag, short: 'h' },
    },
  });
  if (values.help) return null;
  const month = readMonth(values);
  const defaults = month === undefined ? {} : month_defaults;
  const { format, statements = null, variant, date, 'database-url': database_url, url } = { ...defaults, ...values };
  if (format === undefined) throw new Error('--format is missing');
  if (!written_formats.includes(format)) {
    throw new Error(`--format is "${format}"; it must be one of ${written_formats.join(', ')}`);
  }
  const variants = variantsOf(format);
  if (variant !== undefined && !variants.includes(variant)) {
    throw new Error(`--variant is "${variant}"; ${format} has ${variants.join(', ') || 'none'}`);
  }
  for (const [option, day] of Object.entries({ '--date': date, '--today': values.today })) {
    if (day !== undefined && !isDay(day)) throw new Error(`${option} is "${day}"; it must be a date, as YYYY-MM-DD`);
  }
  const { account = account_default, today } = values;
  assertStatements(format, statements, values);
  if (!values.load && (database_url ?? url) !== undefined) {
    throw new Error('--database-url and --url say where to --load the set');
  }
  if (database_url !== undefined && url !== undefined) throw new Error('--url excludes --database-url');
  const load: Load = values.load ? (url === undefined ? { database_url } : { url }) : null;
  const seed = values.seed === undefined ? randomInt(2 ** 32) : whole('--seed', values.seed, 0, 2 ** 32 - 1);
  return {
    cards: whole('--cards', values.cards ?? (month && String(month_defaults.cards)), 1, 1_000_000),
    records: whole('--records', values.records, 1, 100_000_000),
    format,
    month,
    variant,
    seed,
    date,
    files: whole('--files', values.files ?? String(Math.ceil((month?.days ?? 1) / days_of_file)), 1, 1_000),
    // Sets of different seeds rarely share a number, so that their files differ in their ids.
    sequence: whole('--sequence', values.sequence ?? String(1 + (seed % 90_000)), 1, 99_000),
    statements,
    account,
    today,
    out: values.out ?? `data/sample-files/${format}-${seed}`,
    load,
    json: values.json,
  };
}

/** The month that `--breaks` asks for; undefined without it. */
function readMonth({ breaks, days }: { readonly breaks?: string | undefined; readonly days?: string | undefined }) {
  if (breaks === undefined) {
    if (days !== undefined) throw new Error('--days is about a month: --breaks says which share of it are breaks');
    return undefined;
  }
  const share = Number(breaks);
  if (!/^(0|1|0?\.\d{1,6})$/.test(breaks)) {
    throw new Error(`--breaks is "${breaks}"; it must be a share from 0 to 1, for example 0.01`);
  }
  return { days: whole('--days', days ?? String(month_defaults.days), 1, 366), breaks: share };
}

/** Throws an error for statements that cannot be made, and for options that require statements. */
function assertStatements(
  format: string,
  statements: string | null,
  { account, today }: { readonly account?: string | undefined; readonly today?: string | undefined },
): void {
  if (statements === null) {
    if ((account ?? today) !== undefined) throw new Error('--account and --today are about --statements');
    return;
  }
  if (!statement_format_names.includes(statements)) {
    throw new Error(`--statements is "${statements}"; it must be one of ${statement_format_names.join(', ')}`);
  }
  if (format_abilities[format]?.references === 'none') {
    throw new Error(`--statements needs clearings with acquirer references, which --format ${format} does not have`);
  }
  if (account !== undefined && !/^[A-Za-z0-9]{1,34}$/.test(account)) {
    throw new Error(`--account is "${account}"; it must be 1 to 34 letters and digits`);
  }
}

function whole(option: string, text: string | undefined, least: number, most: number): number {
  if (text === undefined) throw new Error(`${option} is missing`);
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`${option} is "${text}"; it must be a whole number from ${least} to ${most}`);
}

function isDay(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

function variantsOf(format: string): readonly string[] {
  return clearing_formats.find(({ name }) => name === format)?.variants ?? [];
}

function variantList(): string {
  const named = written_formats.flatMap((format) => variantsOf(format));
  return named.length === 0 ? 'none' : named.join(', ');
}
