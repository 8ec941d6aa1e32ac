import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { redisProblem } from './redis.ts';

/** How long a start may take. */
const start_ms_max = 10_000;

/** A Redis server in a scratch folder, for as long as the tests run. It keeps nothing over a restart. */
export interface LocalRedis {
  readonly url: string;
  /** Kills it and starts it again, empty, on the same port. */
  restart(): Promise<void>;
  /** FLUSHALL. */
  flush(): Promise<void>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts `redis-server` of this machine on a free port of loopback. Throws, saying what is missing. */
export async function startLocalRedis(): Promise<LocalRedis> {
  const problem = localRedisProblem();
  if (problem !== null) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess;

  async function start(): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn('redis-server', [...settings, '--dir', folder], { stdio: 'ignore' });
    killAtExit(child);
    await answering(url, child);
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  await start();
  return {
    url,
    async restart() {
      await kill();
      await start();
    },
    flush: () => flushAll(port),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Null when this machine has what `startLocalRedis` needs, else what is missing. */
export function localRedisProblem(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, 'redis-server'))) ? null : 'the path has no redis-server';
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const until_ms = performance.now() + start_ms_max;
  let problem: string | null = 'not asked yet';
  while (problem !== null) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with status ${child.exitCode}`);
    if (performance.now() > until_ms) throw new Error(`redis-server does not answer: ${problem}`);
    await delay(20);
    problem = await redisProblem(url);
  }
}

function flushAll(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write('FLUSHALL\r\n'));
    socket.on('error', reject);
    socket.on('data', (data) => {
      socket.destroy();
      if (data.toString('latin1').startsWith('+OK')) resolve();
      else reject(new Error(`FLUSHALL was answered with ${data.toString('latin1')}`));
    });
  });
}

function killAtExit(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
