import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A script that runs when this process has ended, unless it was executed or revoked before. */
export interface ExitCleanup {
  /** Runs the script now, and resolves when it has ended. May be called twice. */
  execute(): Promise<void>;
  /** Prevents the script from running. */
  revoke(): void;
}

/**
 * Starts a shell that runs the script, with `words` as `$1`, `$2` and so on, as soon as this
 * process has ended. This includes SIGKILL, after which the process cannot clean up itself. The
 * shell waits for the end of a pipe that only this process holds. It has a separate session, so
 * that a signal to a whole group of processes does not end it.
 */
export function startExitCleanup(script: string, ...words: readonly string[]): ExitCleanup {
  const shell = spawn('sh', ['-c', `cat >/dev/null; ${script}`, 'sh', ...words], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(shell, 'exit');
  shell.unref();
  return {
    async execute() {
      shell.ref();
      shell.stdin.end();
      await ended;
    },
    revoke() {
      shell.kill('SIGKILL');
      shell.stdin.destroy();
    },
  };
}

/**
 * Creates an empty folder for the files of a database, in `TALLYSTICK_TEST_FOLDER` or the folder
 * for temporary files.
 */
export function scratchFolder(prefix: string): string {
  return mkdtempSync(join(process.env.TALLYSTICK_TEST_FOLDER ?? tmpdir(), prefix));
}
