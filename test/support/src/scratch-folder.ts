import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates an empty folder for the files of a database, in `TALLYSTICK_TEST_FOLDER` or the folder
 * for temporary files.
 */
export function scratchFolder(prefix: string): string {
  return mkdtempSync(join(process.env.TALLYSTICK_TEST_FOLDER ?? tmpdir(), prefix));
}
