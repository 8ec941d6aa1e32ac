import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@tallystick/server';
import { runImport } from '../src/import-command.ts';
import { imports_program } from '../src/imports-commands.ts';

export const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
export const people_program = fileURLToPath(new URL('../src/imports-main.ts', import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

interface Running {
  readonly input?: Uint8Array;
  /** The folder of the process; that of the tests when absent. */
  readonly cwd?: string;
}

/** Runs a program to its end. */
export function run(
  path: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { input, cwd }: Running = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--conditions=source', path, ...words], { env, cwd });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, out, err }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

interface RunningHere {
  /** Standard error is a terminal. */
  readonly is_terminal?: boolean;
  /** Sends SIGINT when the command first writes to this stream. */
  readonly stops_at?: 'out' | 'err';
}

/** Runs `npm run import` in this process, which takes less time. */
export async function runHere(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  folder = '.',
  { is_terminal = false, stops_at }: RunningHere = {},
): Promise<Ended> {
  const said = { out: '', err: '' };
  let stop: ((cause: string) => void) | null = null;
  const collect = (name: 'out' | 'err'): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += chunk;
        done();
        if (name !== stops_at) return;
        const once = stop;
        stop = null;
        once?.('SIGINT');
      },
    });
  const status = await runImport(words, env, {
    stdin: process.stdin,
    stdout: collect('out'),
    stderr: Object.assign(collect('err'), is_terminal ? { isTTY: true, columns: 120 } : {}),
    cwd: () => folder,
    onStop: (listener) => {
      stop = listener;
    },
  });
  return { status, ...said };
}

/** Runs `npm run imports` in this process. */
export async function runPeople(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const said = { out: '', err: '' };
  const status = await runProgram(imports_program, words, env, {
    out: (text) => {
      said.out += `${text}\n`;
    },
    err: (text) => {
      said.err += `${text}\n`;
    },
  });
  return { status, ...said };
}
