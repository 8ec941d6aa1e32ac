import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ServerOptions, serverEnvironment } from './server.ts';

const admin_path = fileURLToPath(new URL('../../../apps/server/src/admin/main.ts', import.meta.url));
const root_path = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Runs `npm run admin -- <words> --json` beside running servers, and returns its answer. Rejects
 * with its output if it fails.
 */
export async function runAdmin(
  words: readonly string[],
  options: ServerOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const args = ['--conditions=source', admin_path, ...words, '--json'];
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root_path, env: serverEnvironment(options) }, (error, out, err) => {
      if (error === null) resolve(JSON.parse(out));
      else reject(new Error(`admin ${words.join(' ')} exited with status ${error.code}: ${out}${err}`));
    });
  });
}
