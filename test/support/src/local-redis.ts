import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Certified } from './client-certificates.ts';
import { startExitCleanup } from './exit-cleanup.ts';
import { freePort } from './free-port.ts';

/** How long a start may take. */
const start_ms_max = 120_000;

/** How many ports are tried, because another process may take one before the server does. */
const ports_tried_max = 5;

/**
 * A Redis server in a scratch folder, for the duration of the tests. It stores nothing across a
 * restart.
 */
export interface LocalRedis {
  readonly url: string;
  /** The port that speaks only TLS, when a certificate was given. */
  readonly tls_port: number;
  /** Kills it and starts it again, empty, on the same port. */
  restart(): Promise<void>;
  /** FLUSHALL. */
  flush(): Promise<void>;
  /** Requires this password of every new connection, until it is restarted. */
  requirePassword(password: string): Promise<void>;
  /** SIGSTOP: its connections stay open, and nothing is answered. `stop` ends it all the same. */
  freeze(): void;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts `redis-server` of this machine on a free port of loopback, with a certificate also on one
 * with TLS. Throws an error that names what is missing.
 */
export async function startLocalRedis(tls?: Certified): Promise<LocalRedis> {
  const problem = localRedisProblem();
  if (problem !== null) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-redis-'));
  const pid_file = join(folder, 'pid');
  const cleanup = startExitCleanup('kill -KILL "$(cat "$1")" 2>/dev/null; rm -rf "$2"', pid_file, folder);
  let child: ChildProcess;
  let tls_port = 0;
  for (const [name, pem] of Object.entries(tls ?? {})) writeFileSync(join(folder, name), pem);

  async function start(port: number): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    if (tls !== undefined) {
      settings.push('--tls-port', String(tls_port), '--tls-auth-clients', 'no');
      settings.push('--tls-cert-file', join(folder, 'cert'), '--tls-key-file', join(folder, 'key'));
    }
    child = spawn('redis-server', [...settings, '--dir', folder], { stdio: 'ignore' });
    writeFileSync(pid_file, String(child.pid));
    await createAnswering(urlAt(port), child);
  }

  async function startOnFreePort(): Promise<number> {
    for (let tried = 1; ; tried += 1) {
      const port = await freePort();
      if (tls !== undefined) tls_port = await freePort();
      try {
        await start(port);
        return port;
      } catch (error) {
        if (tried === ports_tried_max) throw error;
        await kill();
      }
    }
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  try {
    const port = await startOnFreePort();
    return {
      url: urlAt(port),
      tls_port,
      async restart() {
        await kill();
        await start(port);
      },
      flush: () => command(port, 'FLUSHALL'),
      requirePassword: (password) => command(port, `CONFIG SET requirepass ${password}`),
      freeze: () => void child.kill('SIGSTOP'),
      async stop() {
        // The script only sends the signal. Until the process has ended its port still takes
        // connections, and resets them.
        await kill();
        await cleanup.execute();
      },
    };
  } catch (error) {
    await cleanup.execute();
    throw error;
  }
}

function urlAt(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

/**
 * Returns null if this machine has everything that `startLocalRedis` needs, otherwise what is
 * missing.
 */
export function localRedisProblem(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, 'redis-server'))) ? null : 'the path has no redis-server';
}

async function createAnswering(url: string, child: ChildProcess): Promise<void> {
  const until_ms = performance.now() + start_ms_max;
  let problem: string | null = 'not checked yet';
  while (problem !== null) {
    if (child.exitCode !== null) throw new Error(`redis-server exited with status ${child.exitCode}`);
    if (performance.now() > until_ms) throw new Error(`redis-server does not answer: ${problem}`);
    await delay(20);
    problem = await redisProblem(url);
  }
}

function command(port: number, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(`${line}\r\n`));
    socket.on('error', reject);
    socket.on('data', (data) => {
      socket.destroy();
      if (data.toString('latin1').startsWith('+OK')) resolve();
      else reject(new Error(`${line} was answered with ${data.toString('latin1')}`));
    });
  });
}

/** The Redis server of the queue tests: `TEST_REDIS_URL`, or the server of this machine. */
export const redis_url: string = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/**
 * Whether the suites on Redis run. Always, unless the test runner found that there is no Redis and
 * reported it (it sets `TALLYSTICK_TEST_REDIS=none`). A test file that is run alone without Redis
 * fails; it is not skipped.
 */
export const redis_expected: boolean = process.env.TALLYSTICK_TEST_REDIS !== 'none';

const answer_time_ms_max = 20_000;

/** Returns null if the Redis server answers a PING, otherwise the reason why it does not. */
export function redisProblem(url: string = redis_url): Promise<string | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 6379) }, () => socket.write('PING\r\n'));
    const end = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(answer_time_ms_max, () => end(`no answer within ${answer_time_ms_max} ms`));
    socket.on('error', (error) => end(error.message || 'connection refused'));
    // A server that requires a password also answers. The tests then report that TEST_REDIS_URL
    // must contain it.
    socket.on('data', (data) =>
      end(/^(\+PONG|-NOAUTH)/.test(data.toString('latin1')) ? null : 'it is not a Redis server'),
    );
  });
}
