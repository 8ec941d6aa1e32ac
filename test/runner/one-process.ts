/**
 * Runs several test files in this process: those whose paths, relative to the root, are in `TALLYSTICK_TEST_TOGETHER`. The runner
 * starts it as if it were a test file.
 */
for (const path of (process.env.TALLYSTICK_TEST_TOGETHER ?? '').split(' ')) await import(`../../${path}`);
