import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@tallystick/server';
import { runImport } from '../src/import-command.ts';
import { createImportsProgram } from '../src/imports-commands.ts';
import { createReconcileProgram } from '../src/reconcile/commands.ts';

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

/** Collects what a command writes, and stops it when it first writes to `stops_at`. */
function watch({ is_terminal = false, stops_at }: RunningHere) {
  const output = { out: '', err: '' };
  let stop: ((cause: string) => void) | null = null;
  const write = (name: 'out' | 'err', text: string): void => {
    output[name] += text;
    if (name !== stops_at) return;
    const once = stop;
    stop = null;
    once?.('SIGINT');
  };
  const collect = (name: 'out' | 'err'): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        write(name, String(chunk));
        done();
      },
    });
  return {
    output,
    stdout: collect('out'),
    stderr: Object.assign(collect('err'), is_terminal ? { isTTY: true, columns: 120 } : {}),
    onStop: (listener: (cause: string) => void) => {
      stop = listener;
    },
  };
}

/** Runs `npm run import` in this process, which takes less time. */
export async function runHere(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  folder = '.',
  running: RunningHere = {},
): Promise<Ended> {
  const { output, ...streams } = watch(running);
  const status = await runImport(words, env, { ...streams, stdin: process.stdin, cwd: () => folder });
  return { status, ...output };
}

export async function runPeople(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  running: RunningHere = {},
): Promise<Ended> {
  const { output, stdout, ...terminal } = watch(running);
  const status = await runProgram(createImportsProgram(terminal), words, env, {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void terminal.stderr.write(`${text}\n`),
  });
  return { status, ...output };
}

export async function runReconcile(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  running: RunningHere = {},
): Promise<Ended> {
  const { output, stdout, ...terminal } = watch(running);
  const status = await runProgram(createReconcileProgram({ stdout, ...terminal }), words, env, {
    out: (text) => text !== '' && void stdout.write(`${text}\n`),
    err: (text) => void terminal.stderr.write(`${text}\n`),
  });
  return { status, ...output };
}
