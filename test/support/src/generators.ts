import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../clients/', import.meta.url));

/** How long the installation may take. */
const install_ms_max = 300_000;

/** Installs the generators in `test/clients` if necessary. Resolves to why that failed, or to null. */
export async function installGenerators(): Promise<string | null> {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const lock = join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return null;
  return await new Promise((resolve) => {
    const words = ['ci', '--no-audit', '--no-fund'];
    execFile('npm', words, { cwd: folder, timeout: install_ms_max }, (error, _out, err) => {
      if (error === null) resolve(null);
      else resolve(`npm ci in test/clients failed: ${err.trim().split('\n').at(-1) || error.message}`);
    });
  });
}

/** Whether the generators are installed for this run. */
export const generators_expected = process.env.TALLYSTICK_TEST_CLIENTS !== 'none';
