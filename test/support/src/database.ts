import { createHmac, randomBytes } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { scratchFolder } from './exit-cleanup.ts';

/** The databases that the service runs on. */
export type DatabaseName = 'sqlite' | 'postgres';

/** An empty database for one test. */
export interface ScratchDatabase {
  readonly name: DatabaseName;
  /** In the format of the server's `DATABASE_URL`. */
  readonly database_url: string;
  /** Removes it, even with open connections. May be called twice. */
  dispose(): Promise<void>;
}

/**
 * The Postgres server for scratch databases: `TEST_POSTGRES_URL`, or the server of this machine.
 */
export const postgres_url: string = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/**
 * The databases over which a suite loops. Both, unless the test runner found that one is not
 * available and reported it (it sets `TALLYSTICK_TEST_DATABASES`). A test file that is run alone
 * without Postgres fails; it is not skipped.
 */
export const database_names: readonly DatabaseName[] = parseNames(
  process.env.TALLYSTICK_TEST_DATABASES ?? 'sqlite,postgres',
);

/** The addresses of migrated databases that \`migratedDatabase\` copies. */
const migrated_urls: Readonly<Partial<Record<DatabaseName, string>>> = JSON.parse(
  process.env.TALLYSTICK_TEST_MIGRATED ?? '{}',
);

function parseNames(list: string): DatabaseName[] {
  return list.split(',').map((name) => {
    if (name === 'sqlite' || name === 'postgres') return name;
    throw new TypeError(`TALLYSTICK_TEST_DATABASES names "${name}"; it may name sqlite and postgres`);
  });
}

/**
 * A new, empty database. Throws an error that names `TEST_POSTGRES_URL` if Postgres is not
 * available.
 */
export async function scratchDatabase(name: DatabaseName): Promise<ScratchDatabase> {
  return name === 'sqlite' ? scratchSqlite() : await scratchPostgres();
}

/**
 * A new database with the tables of the service and no rows of a test. With \`npm test\`, it is a
 * copy of one that the runner made.
 */
export async function migratedDatabase(name: DatabaseName): Promise<ScratchDatabase> {
  const database_url = migrated_urls[name];
  if (database_url !== undefined) return await copyDatabase({ name, database_url });
  const database = await scratchDatabase(name);
  // The adapters depend on this package, and few tests need one.
  const { mikroOrmPersistence } = await import('@tallystick/mikro-orm');
  const clock = { nowMs: () => Date.now() };
  const persistence = await mikroOrmPersistence({
    database_url: database.database_url,
    clock,
    audit_mac: testAuditMac,
  });
  try {
    await persistence.migrate();
  } finally {
    await persistence.close();
  }
  return database;
}

/** A copy, as a restored backup. No process may have the original open. */
export async function copyDatabase({ name, database_url }: Omit<ScratchDatabase, 'dispose'>): Promise<ScratchDatabase> {
  if (name === 'postgres') return await scratchPostgres(new URL(database_url).pathname.slice(1));
  const copy = scratchSqlite();
  copyFileSync(database_url.slice('sqlite:'.length), copy.database_url.slice('sqlite:'.length));
  return copy;
}

/** Returns null if the Postgres server answers, otherwise the reason why it does not. */
export async function postgresProblem(url: string = postgres_url): Promise<string | null> {
  try {
    await onPostgres(url, async (client) => await client.query('select 1'));
    return null;
  } catch (error) {
    return reason(error);
  }
}

/** The number of further connections that the Postgres server accepts. */
export async function connectionsLeft(url: string = postgres_url): Promise<number> {
  return await onPostgres(url, async (client) => {
    const { rows } = await client.query<{ left: number }>(
      "select current_setting('max_connections')::int - count(*)::int as left from pg_stat_activity",
    );
    return rows[0]?.left ?? 0;
  });
}

/**
 * Drops scratch databases that killed test runs left behind. Only those made more than `age_ms` ago
 * are dropped, so that a concurrent run keeps its databases. Returns the number of dropped
 * databases.
 */
export async function dropStaleDatabases(age_ms: number, url: string = postgres_url): Promise<number> {
  return await onPostgres(url, async (client) => {
    const found = await client.query<{ datname: string }>(
      "select datname from pg_database where datname like 'tallystick\\_test\\_%'",
    );
    const stale = found.rows.filter(({ datname }) => {
      const made_at_s = Number.parseInt(datname.split('_')[2] ?? '', 36);
      return Number.isFinite(made_at_s) && made_at_s * 1000 < Date.now() - age_ms;
    });
    let dropped = 0;
    for (const { datname } of stale) {
      // Another run that begins now may be dropping the same one. Remaining databases are dropped
      // by the next run.
      await client.query(`drop database if exists "${datname}" with (force)`).then(
        () => {
          dropped += 1;
        },
        () => undefined,
      );
    }
    return dropped;
  });
}

async function dropDatabase(database: string): Promise<void> {
  await onPostgres(postgres_url, async (client) => {
    await client.query(`drop database if exists "${database}" with (force)`);
  });
}

function scratchSqlite(): ScratchDatabase {
  const folder = scratchFolder('tallystick-test-');
  return {
    name: 'sqlite',
    database_url: `sqlite:${join(folder, 'tallystick.db')}`,
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function scratchPostgres(template = 'template0'): Promise<ScratchDatabase> {
  const made_at = Math.floor(Date.now() / 1000).toString(36);
  const database = `tallystick_test_${made_at}_${randomBytes(6).toString('hex')}`;
  try {
    await onPostgres(
      postgres_url,
      async (client) => await client.query(`create database "${database}" template "${template}"`),
    );
  } catch (error) {
    throw new Error(
      `no scratch database on Postgres at TEST_POSTGRES_URL=${withoutPassword(postgres_url)}: ${reason(error)}`,
    );
  }
  const url = new URL(postgres_url);
  url.pathname = `/${database}`;
  return {
    name: 'postgres',
    database_url: url.href,
    dispose: () => dropDatabase(database),
  };
}

async function onPostgres<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  // A server that ends between two calls is reported by an event. Without a listener it would end
  // the test process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':***@');
}

/** The hash of audit entries in tests without a vault. Its key is public. */
export function testAuditMac(text: string): string {
  return createHmac('sha256', 'test').update(text).digest('hex');
}
