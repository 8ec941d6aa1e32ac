import { spawnSync } from 'node:child_process';

/**
 * Whether the tests run that give a process file systems of its own. Always, unless the test runner
 * found that this machine does not permit it and reported it (it sets
 * `TALLYSTICK_TEST_MOUNTS=none`). A test file that is run alone on such a machine fails; it is not
 * skipped.
 */
export const mounts_expected: boolean = process.env.TALLYSTICK_TEST_MOUNTS !== 'none';

/**
 * The command that runs the words as one process, after a shell has run the script where mounts
 * concern nothing else. Other processes find its files below `/proc/<pid>/root`.
 */
export function withMounts(script: string, words: readonly string[]): [string, ...string[]] {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  return ['unshare', ...user, '--mount', 'sh', '-ec', `${script}\nexec "$@"`, 'sh', ...words];
}

/** Returns null if this machine permits `withMounts`, otherwise why it does not. */
export function mountsProblem(): string | null {
  const [program, ...words] = withMounts('mount -t tmpfs -o size=1m none /mnt', ['true']);
  const { status, error, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}
