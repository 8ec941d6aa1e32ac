import { execFile } from 'node:child_process';
import { chownSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Certified } from './client-certificates.ts';
import { scratchFolder, startExitCleanup } from './exit-cleanup.ts';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** How long a start may take, including recovery after a crash, seconds. */
const start_s_max = 180;

/** How many ports are tried, because another process may take one before the server does. */
const ports_tried_max = 5;

/** A Postgres server in a scratch folder, for the duration of the tests. */
export interface LocalPostgres {
  readonly url: string;
  /** Stops it like a crash, and starts it again on its data. */
  restart(): Promise<void>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts Postgres from the binaries of this machine, on a free port of loopback, without fsync,
 * because its data are needed only during the run. Postgres refuses to run as root, so root runs it
 * as `postgres` or `nobody`. With a certificate it also speaks TLS. Throws an error that names what is missing.
 */
export async function startLocalPostgres(tls?: Certified): Promise<LocalPostgres> {
  const binaries = findBinaries();
  const folder = scratchFolder('tallystick-postgres-');
  const owner = process.getuid?.() === 0 ? await unprivilegedUser() : undefined;
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const options = { cwd: folder, ...(owner ?? {}) };
  const data = join(folder, 'data');
  let port = 0;
  const cleanup = startExitCleanup(crash_and_remove, join(data, 'postmaster.pid'), folder);
  try {
    await run(
      join(binaries, 'initdb'),
      ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-sync', data],
      options,
    );
    for (const [name, pem] of Object.entries(tls ?? {})) {
      const file = join(data, `server.${name}`);
      writeFileSync(file, pem, { mode: 0o600 });
      if (owner) chownSync(file, owner.uid, owner.gid);
    }
    await startOnFreePort();
  } catch (error) {
    await cleanup.execute();
    throw error;
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async restart() {
      await crash();
      await start();
    },
    stop: () => cleanup.execute(),
  };

  async function startOnFreePort(): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      port = await freePort();
      try {
        await start();
        return;
      } catch (error) {
        if (tried === ports_tried_max) throw error;
      }
    }
  }

  async function start(): Promise<void> {
    const settings = `-p ${port} -h 127.0.0.1 -k ${folder} -F -c max_connections=400${tls ? ' -c ssl=on -c ssl_cert_file=server.cert -c ssl_key_file=server.key' : ''}`;
    const log = join(folder, 'log');
    const words = ['--pgdata', data, '--log', log, '--wait', '--timeout', `${start_s_max}`, '--options', settings];
    try {
      await run(join(binaries, 'pg_ctl'), [...words, 'start'], options);
    } catch (error) {
      const log_end = existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : '';
      throw new Error(`Postgres did not start: ${(error as Error).message}\n${log_end}`);
    }
  }

  async function crash(): Promise<void> {
    await run(join(binaries, 'pg_ctl'), ['--pgdata', data, '--mode', 'immediate', '--wait', 'stop'], options);
  }
}

/**
 * Stops the server whose file of its process id is `$1` like a crash, and removes the folder `$2`.
 */
const crash_and_remove = `
  pid=$(head -n 1 "$1" 2>/dev/null) && kill -QUIT "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
  rm -rf "$2"`;

/**
 * Returns null if this machine has everything that `startLocalPostgres` needs, otherwise what is
 * missing.
 */
export function localPostgresProblem(): string | null {
  try {
    findBinaries();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Returns the folder with `initdb` and `pg_ctl`: on the path, otherwise in Debian's folders, the
 * newest version first.
 */
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
