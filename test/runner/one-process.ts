/**
 * Runs several test files in this process: the files whose paths, relative to the root, are in
 * `TALLYSTICK_TEST_TOGETHER`. The runner starts it like a test file. A file that cannot be loaded
 * fails as a test of its name, and the others run.
 */
import { test } from 'node:test';

for (const path of (process.env.TALLYSTICK_TEST_TOGETHER ?? '').split(' ')) {
  await import(`../../${path}`).catch((error: unknown) =>
    test(path, () => {
      throw error;
    }),
  );
}
