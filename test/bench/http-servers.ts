import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadTarget, RequestText } from './http-load.ts';
import { authorizationRequest } from './http-requests.ts';

const connections = 64;
export const cards = 500;

/** A server of the HTTP benches, in a process of its own. */
export interface HttpServer extends LoadTarget {
  /** The numbers of its cards. */
  readonly numbers: readonly string[];
  readonly pid: number;
  stop(): void;
}

/** Starts `http-server.ts`, which describes the kinds. */
export function startHttpServer(
  kind: 'ours' | 'jobless' | 'idle' | 'bare' | 'hand',
  database_url: string,
): Promise<HttpServer> {
  return startBenchServer('http-server.ts', [kind, database_url, String(cards)]);
}

/** Starts a file of this folder that sends its port, and the numbers of its cards, when it listens. */
export async function startBenchServer(file: string, words: readonly string[]): Promise<HttpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-bench-'));
  const log_path = join(folder, 'log');
  const child: ChildProcess = fork(fileURLToPath(new URL(file, import.meta.url)), words, {
    execArgv: ['--conditions=source'],
    // The log goes to a file, as in production, so that its cost is measured.
    stdio: ['ignore', 'ignore', openSync(log_path, 'a'), 'ipc'],
  });
  const stop = () => {
    process.off('exit', stop);
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', stop);
  const { port, numbers } = await new Promise<{ port: number; numbers: string[] }>((resolve, reject) => {
    child.once('message', (message) => {
      child.removeAllListeners('exit');
      resolve(message as { port: number; numbers: string[] });
    });
    child.once('exit', (code) => {
      const log = readFileSync(log_path, 'utf8').slice(-2_000);
      reject(new Error(`${file} ${words[0]} exited with status ${code} before it listened:\n${log}`));
    });
  });
  return { host: '127.0.0.1', port, connections, numbers, pid: child.pid!, stop };
}

let sent = 0;

/** Authorizations of these cards in turn, each a different purchase, as requests or as lines of one. */
export function requestsTo(numbers: readonly string[], textOf = authorizationRequest): RequestText {
  return () => {
    sent += 1;
    return textOf(numbers[sent % numbers.length] ?? '5555550000000000', `H${sent}`);
  };
}
