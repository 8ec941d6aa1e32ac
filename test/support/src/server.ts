import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startExitCleanup } from './exit-cleanup.ts';

/**
 * Key material that test servers share, because two servers on one database must have the same
 * keys. 32 bytes, base64.
 */
export const test_keys: string = Buffer.alloc(32, 'tallystick test key material').toString('base64');

/** The fixed keys of the sandbox, by role. */
export const sandbox_keys = {
  client: 'tly_test_client_sandbox',
  network: 'tly_test_network_sandbox',
  bank: 'tly_test_bank_sandbox',
  operator: 'tly_test_operator_sandbox',
} as const;

export interface ServerOptions {
  readonly database_url: string;
  /** Variables added to the sandbox on a free port; an undefined value removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The program and its arguments in place of apps/server, for example `npm start`. */
  readonly command?: readonly [string, ...string[]];
  /** The folder in which it runs; the root of the repository when absent. */
  readonly folder?: string;
  /** The user that it runs as; only root may name another one. */
  readonly user?: { readonly uid?: number; readonly gid?: number };
}

/** The longest time until a server listens. */
const start_ms_max = 180_000;

/** How a process ended. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The server as a separate process. */
export interface ServerProcess {
  /** The address of the server: `http://127.0.0.1:43210`. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the process has ended for any reason. */
  readonly exited: Promise<ServerExit>;
  /** Its output so far, standard output and error together. */
  output(): string;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<ServerExit>;
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<ServerExit>;
  signal(signal: NodeJS.Signals): void;
}

const main_path = fileURLToPath(new URL('../../../apps/server/src/main.ts', import.meta.url));
const root_path = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Returns the environment of a test server: the sandbox on a free port of loopback, without this
 * machine's configuration.
 */
export function serverEnvironment(options: ServerOptions): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SANDBOX: 'on',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    // Tests that do not test overload receive a decision also on a busy machine.
    NETWORK_WAIT_MS_MAX: '60000',
    DECISION_MS_MAX: '60000',
    TALLYSTICK_KEYS: test_keys,
    DATABASE_URL: options.database_url,
  };
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value === undefined) delete environment[name];
    else environment[name] = value;
  }
  return environment;
}

/**
 * Starts apps/server and resolves when it prints its address. Rejects with its output if it exits
 * before. `exited` also waits for processes that it started and that hold its output. The process
 * ends with the test process, even if that is killed.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const [program, ...words] = options.command ?? [process.execPath, '--conditions=source', main_path];
  const child = spawn(program, words, {
    cwd: options.folder ?? root_path,
    env: serverEnvironment(options),
    ...options.user,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const cleanup = startExitCleanup('kill -KILL "$1"', String(child.pid));
  child.once('exit', () => cleanup.revoke());

  let output = '';
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server did not listen within ${start_ms_max} ms:\n${output}`));
    }, start_ms_max);
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const listening = /^Tallystick listens on (http\S+)$/m.exec(output);
      if (listening?.[1] !== undefined) {
        clearTimeout(timer);
        resolve(listening[1]);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    void exited.then(({ code, signal }) => {
      clearTimeout(timer);
      reject(new Error(`the server exited (${signal ?? `status ${code}`}) before it listened:\n${output}`));
    });
  });

  const end = async (signal: NodeJS.Signals): Promise<ServerExit> => {
    child.kill(signal);
    return await exited;
  };
  return {
    url,
    pid: child.pid as number,
    exited,
    output: () => output,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    signal: (signal) => void child.kill(signal),
  };
}

/** How a command ended. */
export interface AdminOutcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `npm run admin -- <words>` beside running servers, in this process. Resolves also when it
 * fails.
 */
export async function runAdminToEnd(words: readonly string[], options: ServerOptions): Promise<AdminOutcome> {
  // The app depends on this package, and few tests run a command.
  const { admin } = await import('../../../apps/server/src/admin/command-line.ts');
  const written = { out: '', err: '' };
  const status = await admin(words, serverEnvironment(options), {
    out: (text) => (written.out += `${text}\n`),
    err: (text) => (written.err += `${text}\n`),
  });
  return { status, ...written };
}

/**
 * Runs `npm run admin -- <words> --json` beside running servers, and returns its answer. Rejects
 * with its output if it fails.
 */
export async function runAdmin(
  words: readonly string[],
  options: ServerOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, out, err } = await runAdminToEnd([...words, '--json'], options);
  if (status === 0) return JSON.parse(out);
  throw new Error(`admin ${words.join(' ')} exited with status ${status}: ${out}${err}`);
}
