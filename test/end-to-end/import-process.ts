import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ServerOptions, serverEnvironment } from '@tallystick/test-support';

const main_path = fileURLToPath(new URL('../../apps/importer/src/main.ts', import.meta.url));
const root_path = fileURLToPath(new URL('../../', import.meta.url));

/** How a run of `npm run import` ended. */
export interface ImportExit {
  /** Null: it was killed. */
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** The object that `--json` wrote for the file; null if there is none. */
  readonly report: ImportReport | null;
}

/** What `--json` writes for one file. */
export interface ImportReport {
  readonly outcome: 'imported' | 'known' | 'in_progress';
  readonly import: {
    readonly id: string;
    readonly status: string;
    readonly records: number;
    readonly applied: number;
    readonly duplicates: number;
    readonly quarantined: number;
    readonly matched: number;
    readonly breaks: number;
    readonly problem: { readonly code: string } | null;
  };
}

/** A running `npm run import -- <file> --json`. */
export interface ImportProcess {
  readonly exited: Promise<ImportExit>;
  /** SIGKILL. */
  kill(): void;
}

/** Starts the command as a process of its own. */
export function startImport(
  { database_url, env }: Pick<ServerOptions, 'database_url' | 'env'>,
  ...paths: readonly string[]
): ImportProcess {
  const child = spawn(process.execPath, ['--conditions=source', main_path, ...paths, '--json'], {
    cwd: root_path,
    env: serverEnvironment({ database_url, ...(env === undefined ? {} : { env }) }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    err += bytes.toString();
  });
  const exited = new Promise<ImportExit>((resolve) => {
    child.once('close', (status, signal) => resolve({ status, signal, output: out + err, report: reportIn(out) }));
  });
  return { exited, kill: () => void child.kill('SIGKILL') };
}

/** Runs it to its end. Of several files the report is that of the first one. */
export async function runImport(
  options: Pick<ServerOptions, 'database_url' | 'env'>,
  ...paths: readonly string[]
): Promise<ImportExit> {
  return await startImport(options, ...paths).exited;
}

function reportIn(out: string): ImportReport | null {
  const line = out.split('\n').find((one) => one.startsWith('{'));
  return line === undefined ? null : (JSON.parse(line) as ImportReport);
}
