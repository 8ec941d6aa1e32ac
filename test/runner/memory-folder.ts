import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { startExitCleanup } from '@tallystick/test-support';

/** The databases of a long run need less. */
const free_bytes_min = 4 * 2 ** 30;

/**
 * Creates a folder in memory for the scratch databases of this run. It is removed when this process
 * has ended. Null when there is no room for it.
 */
export function createMemoryFolder(): string | null {
  const memory = findMemoryFolder();
  if (memory === null) return null;
  const folder = mkdtempSync(join(memory, 'tallystick-run-'));
  // Postgres runs as another user in a folder of its own below.
  chmodSync(folder, 0o711);
  startExitCleanup('rm -rf "$1"', folder);
  return folder;
}

/**
 * The folder in which Linux keeps files in memory, where a commit does not wait for a disk. Null
 * when there is none, or when it has too little room.
 */
export function findMemoryFolder(folder = '/dev/shm', bytes_min: number = free_bytes_min): string | null {
  if (!existsSync(folder)) return null;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < bytes_min ? null : folder;
}
