import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What is done when this process has ended, unless it was done before or is no longer wanted. */
export interface LastWill {
  /** Does it now; resolves when it is done. May be called twice. */
  execute(): Promise<void>;
  /** It will not be done. */
  revoke(): void;
}

/**
 * Leaves a shell behind that runs the script, with `words` as `$1`, `$2` and so on, as soon as this process has ended: also when
 * it was killed, after which nothing of its own can clean up. The shell waits for the end of a pipe that only this process
 * holds, in a session of its own, so that what ends a whole group of processes does not end it.
 */
export function lastWill(script: string, ...words: readonly string[]): LastWill {
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
