import { parseArgs } from 'node:util';
import { nearestName } from '@tallystick/kernel';
import { UnusableSchema } from '@tallystick/mikro-orm';
import { version } from '../version.ts';
import { describeMigrateProblem, migrateCommand } from './migrate-command.ts';
import { WrongWords } from './wrong-words.ts';

export interface CommandOutput {
  out(text: string): void;
  err(text: string): void;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const usage = `tallystick ${version}

tallystick migrate --database-url <url>         applies the missing migrations
tallystick migrate --print --dialect <dialect>  prints all migrations as SQL
tallystick migrate --print --database-url <url> prints the missing ones, and changes nothing

  --database-url <url>   sqlite:<file> or postgres://user@host/database;
                         without --print also in the variable DATABASE_URL
  --schema <name>        Postgres: the schema of the tables, public if absent
  --table-prefix <text>  SQLite: the prefix of all tables
  --dialect <dialect>    postgres or sqlite
  --help, --version

Exit status: 0 done, 1 the database cannot be migrated, 2 wrong options.
`;

const options = {
  'database-url': { type: 'string' },
  schema: { type: 'string' },
  'table-prefix': { type: 'string' },
  dialect: { type: 'string' },
  print: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The options of the command line, as they were given. */
export type GivenOptions = ReturnType<typeof parse>['values'];

/**
 * Runs the words of a command line. Returns the exit status: 0 done, 1 the database cannot be
 * migrated, 2 wrong options. An error is one sentence and shows no password.
 */
export async function runCommand(
  words: readonly string[],
  environment: Environment,
  output: CommandOutput,
): Promise<number> {
  try {
    const { values, positionals } = parse(words);
    if (values.help) output.out(usage);
    else if (values.version) output.out(`${version}\n`);
    else output.out(await commandOf(positionals)(values, environment));
    return 0;
  } catch (error) {
    output.err(`${error instanceof WrongWords ? error.message : describeMigrateProblem(error)}\n`);
    return error instanceof WrongWords || error instanceof UnusableSchema ? 2 : 1;
  }
}

function commandOf([name, ...others]: readonly string[]): typeof migrateCommand {
  if (name === undefined) throw new WrongWords('A command is missing: see tallystick --help.');
  if (name !== 'migrate') throw new WrongWords(`There is no command ${name}: see tallystick --help.`);
  if (others.length > 0) throw new WrongWords(`The command migrate takes only options, and "${others[0]}" is none.`);
  return migrateCommand;
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const unknown = /^Unknown option '--?([^']*)'/.exec(message)?.[1];
    if (unknown !== undefined) {
      const nearest = nearestName(unknown, Object.keys(options));
      throw new WrongWords(
        `There is no option --${unknown}: ${nearest === null ? 'see tallystick --help' : `did you mean --${nearest}?`}`,
      );
    }
    const named = /^Option '(?:-h, )?--([a-z-]+)[ ']/.exec(message)?.[1];
    if (named === undefined) throw error;
    const takes_value = options[named as keyof typeof options]?.type === 'string';
    throw new WrongWords(`The option --${named} takes ${takes_value ? 'a' : 'no'} value: see tallystick --help.`);
  }
}
