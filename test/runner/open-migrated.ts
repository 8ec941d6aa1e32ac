import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ScratchDatabase } from '@tallystick/test-support';

/**
 * Makes the databases that the tests copy, in a process that also removes them: the runner loads no
 * adapter. `urls` is the value of `TALLYSTICK_TEST_MIGRATED`.
 */
export async function openMigrated(
  root: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly urls: string; close(): Promise<void> }> {
  const program = fileURLToPath(new URL('migrated-databases.ts', import.meta.url));
  const maker = spawn(process.execPath, ['--conditions=source', program], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(maker, 'exit');
  let written = '';
  for await (const chunk of maker.stdout) {
    written += chunk;
    if (written.endsWith('\n')) break;
  }
  const databases: readonly ScratchDatabase[] = JSON.parse(written);
  const urls = databases.map(({ name, database_url }) => [name, database_url]);
  return {
    urls: JSON.stringify(Object.fromEntries(urls)),
    async close() {
      maker.stdin.end();
      await ended;
    },
  };
}
