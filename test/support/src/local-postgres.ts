import { execFile } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** A Postgres server in a scratch folder, for as long as the tests run. */
export interface LocalPostgres {
  readonly url: string;
  /** Ends it as a crash does, and starts it again on what it had written. */
  restart(): Promise<void>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts Postgres from the binaries of this machine, on a free port of loopback, without fsync: its data lives no longer
 * than the run. Postgres refuses to run as root; root runs it as `postgres` or `nobody`. Throws, saying what is missing.
 */
export async function startLocalPostgres(): Promise<LocalPostgres> {
  const binaries = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-postgres-'));
  const owner = process.getuid?.() === 0 ? await unprivilegedUser() : undefined;
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const options = { cwd: folder, ...(owner ?? {}) };
  const data = join(folder, 'data');
  const port = await freePort();
  try {
    await run(
      join(binaries, 'initdb'),
      ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-sync', data],
      options,
    );
    await start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async restart() {
      await crash();
      await start();
    },
    async stop() {
      // One that could not be started again has nothing to stop.
      if (existsSync(join(data, 'postmaster.pid'))) await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  async function start(): Promise<void> {
    const settings = `-p ${port} -h 127.0.0.1 -k ${folder} -F -c max_connections=200`;
    const log = join(folder, 'log');
    await run(
      join(binaries, 'pg_ctl'),
      ['--pgdata', data, '--log', log, '--wait', '--options', settings, 'start'],
      options,
    );
  }

  async function crash(): Promise<void> {
    await run(join(binaries, 'pg_ctl'), ['--pgdata', data, '--mode', 'immediate', '--wait', 'stop'], options);
  }
}

/** Null when this machine has what `startLocalPostgres` needs, else what is missing. */
export function localPostgresProblem(): string | null {
  try {
    findBinaries();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The folder that holds `initdb` and `pg_ctl`: on the path, else where Debian keeps them, the newest version first. */
function findBinaries(): string {
  const on_path = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'initdb'));
  const debian = globSync('/usr/lib/postgresql/*/bin/initdb').sort((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  );
  const found = [...on_path, ...debian].map(dirname).find((folder) => {
    return existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl'));
  });
  if (found === undefined) throw new Error('neither the path nor /usr/lib/postgresql/*/bin has initdb and pg_ctl');
  return found;
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const uid = Number((await run('id', ['-u', name])).stdout);
      const gid = Number((await run('id', ['-g', name])).stdout);
      return { uid, gid };
    } catch {
      // No such user: try the next name.
    }
  }
  throw new Error('Postgres does not run as root, and there is no user postgres or nobody to run it as');
}
