import { parseOptions, showDatabase } from '@tallystick/server';

export type ImportWords = Readonly<ReturnType<typeof readImportWords>>;

export const import_usage = `Usage: npm run import -- <file>... [options]

Imports clearing files and bank statements into the database of DATABASE_URL
with the key ring of the server, beside a running server or without one.
Without both settings it works on the sandbox in data/.
A file is a path, a pattern such as "in/*.ipm", or - for standard input.

  --format <name>        the format; without it the first bytes decide
  --profile <name|file>  the profile of a csv file: a name, or a JSON file that
                         describes it
  --dry-run              shows what an import would do with each record, and
                         writes nothing
  --database-url <url>   the database, in place of DATABASE_URL
  --json                 one JSON object for each file on standard output
  --quiet                no progress on standard error; problems are still
                         written there
  --allow-empty          a pattern that matches no file is no mistake: exit
                         status 0

Exit status (of several files the worst: 1, 3, 4, 0):
  0  every file is applied, now or before
  1  a fault or a stop: the same command continues where it stopped
  2  the command line or the configuration is wrong, and nothing was read
  3  a file was refused, held or truncated, or does not have the profile, or
     another process is importing it
  4  records are in quarantine
docs/imports.md describes formats, statuses and what to do.`;

/** Parses the words. Throws an error with a sentence for the person who wrote them. */
export function readImportWords(words: readonly string[]) {
  const { values, positionals } = parseOptions({
    args: [...words],
    options: {
      format: { type: 'string' },
      profile: { type: 'string' },
      'database-url': { type: 'string' },
      'dry-run': { type: 'boolean' },
      json: { type: 'boolean' },
      quiet: { type: 'boolean' },
      'allow-empty': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (!values.help && !values.version && positionals.length === 0) throw new Error('no file is named');
  return {
    files: positionals as readonly string[],
    format: values.format,
    /** The name of a profile, or the path of a file with one. */
    profile: values.profile,
    database_url: values['database-url'],
    dry_run: values['dry-run'] ?? false,
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    /** Whether a pattern may match no file. */
    allow_empty: values['allow-empty'] ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

/**
 * ` --database-url <url>` for the command of a hint, as a shell takes it: without the option the
 * command would work on the default database. Shows no password. Empty when this command had none.
 */
export function databaseOption(database_url: string | undefined): string {
  if (database_url === undefined) return '';
  const shown = showDatabase(database_url);
  const is_plain = /^[\w@%+=:,./-]+$/.test(shown);
  return ` --database-url ${is_plain ? shown : `'${shown.replaceAll("'", "'\\''")}'`}`;
}
