import { existsSync } from 'node:fs';
import {
  type DatabaseToMigrate,
  migrateDatabase,
  NewerSchema,
  printMigrations,
  printMissingMigrations,
  UnusableSchema,
} from '@tallystick/mikro-orm';
import { type Environment, type GivenOptions, WrongWords } from './words.ts';

type Dialect = 'postgres' | 'sqlite';

/** Runs `tallystick migrate`, and returns what it prints. */
export async function migrateCommand(given: GivenOptions, environment: Environment): Promise<string> {
  const { schema, print = false } = given;
  const database_url = given['database-url'] ?? (print ? undefined : environment.DATABASE_URL);
  const dialect = dialectOf(given, database_url);
  if (database_url === undefined) return await printMigrations({ dialect, schema });
  const database: DatabaseToMigrate = { database_url, schema };
  // To open a file would create it.
  const is_new = dialect === 'sqlite' && !existsSync(database_url.slice('sqlite:'.length));
  try {
    if (print) return is_new ? await printMigrations({ dialect }) : await printMissingMigrations(database);
    const applied = await migrateDatabase(database);
    return applied.length === 0
      ? 'The database has every migration of this version.\n'
      : `Applied: ${applied.join(', ')}.\n`;
  } catch (error) {
    throw error instanceof UnusableSchema ? error : new UnusableMigration(showDatabase(database_url), error);
  }
}

/** Checks the options against each other. */
function dialectOf({ print, dialect, ...given }: GivenOptions, database_url: string | undefined): Dialect {
  if (dialect !== undefined && dialect !== 'postgres' && dialect !== 'sqlite') {
    throw new WrongWords(`--dialect is ${JSON.stringify(dialect)}, and may be postgres or sqlite.`);
  }
  if (database_url !== undefined) {
    const found = dialectOfUrl(database_url);
    if (dialect !== undefined && dialect !== found) {
      throw new WrongWords(`--dialect is ${dialect}, and the database URL is one of ${found}: leave one of them out.`);
    }
    return found;
  }
  if (!print) throw new WrongWords('The database is missing: set --database-url, or the variable DATABASE_URL.');
  if (dialect !== undefined) return dialect;
  if (given.schema !== undefined) return 'postgres';
  throw new WrongWords('The database is missing: set --dialect postgres, --dialect sqlite or --database-url.');
}

/** The message shows nothing of the URL, which may hold a password. */
function dialectOfUrl(database_url: string): Dialect {
  if (/^sqlite:./.test(database_url)) return 'sqlite';
  if (/^postgres(ql)?:\/\//.test(database_url) && URL.canParse(database_url)) return 'postgres';
  throw new WrongWords(
    'The database URL cannot be used: write sqlite:<file> or postgres://user:password@host:port/database, with special characters as %xx.',
  );
}

/** The database could not be migrated. */
class UnusableMigration extends Error {
  readonly database: string;

  constructor(database: string, cause: unknown) {
    super('the database could not be migrated', { cause });
    this.database = database;
  }
}

/** One sentence for an error of `migrateCommand`. Shows no password. */
export function describeMigrateProblem(error: unknown): string {
  if (error instanceof UnusableSchema) return sentence(error.message);
  if (!(error instanceof UnusableMigration)) return `This is a mistake of tallystick: ${(error as Error).stack}`;
  const { database, cause } = error;
  if (cause instanceof NewerSchema) {
    return `The database ${database} was migrated by a newer version, which knows ${cause.migrations.join(', ')}: use that version of tallystick.`;
  }
  return sentence(`The database ${database} cannot be migrated: ${rootMessageOf(cause)}`);
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`;
}

/** The message of the error that caused the others. Node puts the errors of several addresses in one. */
function rootMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return rootMessageOf(error.errors[0]);
  return error.cause instanceof Error ? rootMessageOf(error.cause) : error.message.replaceAll('\n', ' ');
}

function showDatabase(database_url: string): string {
  if (database_url.startsWith('sqlite:')) return database_url;
  const url = new URL(database_url);
  url.password = '';
  // A parameter may also be a password.
  url.search = '';
  return url.href;
}
