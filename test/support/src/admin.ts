import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ServerOptions, serverEnvironment } from './server.ts';

const admin_path = fileURLToPath(new URL('../../../apps/server/src/admin/main.ts', import.meta.url));
const root_path = fileURLToPath(new URL('../../../', import.meta.url));

/** How a command ended. */
export interface AdminOutcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `npm run admin -- <words>` beside running servers. Resolves also when it fails. */
export async function runAdminToEnd(words: readonly string[], options: ServerOptions): Promise<AdminOutcome> {
  const args = ['--conditions=source', admin_path, ...words];
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root_path, env: serverEnvironment(options) }, (error, out, err) =>
      resolve({ status: error === null ? 0 : Number(error.code), out, err }),
    );
  });
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
