import { test } from 'node:test';

/**
 * Runs the test files of a group in this process: their paths, relative to the root, are in
 * `TALLYSTICK_TEST_TOGETHER`. The runner starts the file of the group like a test file. A file that
 * cannot be loaded fails as a test of its name, and the others run.
 */
export async function runTogether(group: string): Promise<void> {
  const paths: Readonly<Record<string, readonly string[]>> = JSON.parse(process.env.TALLYSTICK_TEST_TOGETHER ?? '{}');
  for (const path of paths[group] ?? []) {
    await import(`../../../${path}`).catch((error: unknown) =>
      test(path, () => {
        throw error;
      }),
    );
  }
}
