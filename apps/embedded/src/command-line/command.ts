import { UnusableSchema } from '@tallystick/mikro-orm';
import { version } from '../version.ts';
import { describeMigrateProblem, migrateCommand } from './migrate-command.ts';
import { type Environment, parseWords, WrongWords } from './words.ts';

export interface CommandOutput {
  out(text: string): void;
  err(text: string): void;
}

const usage = `tallystick ${version}

tallystick migrate --database-url <url>         applies the missing migrations
tallystick migrate --print --dialect <dialect>  prints all migrations as SQL
tallystick migrate --print --database-url <url> prints the missing ones, and changes nothing

  --database-url <url>   sqlite:<file> or postgres://user@host/database. If absent, the
                         variable DATABASE_URL; --print ignores the variable
  --schema <name>        Postgres: the schema of the tables, public if absent
  --dialect <dialect>    postgres or sqlite
  --help, --version

Exit status: 0 done, 1 the database cannot be migrated, 2 wrong options.
`;

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
    const { values, positionals } = parseWords(words);
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
