import { access, constants, type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ArchivedRow,
  type Clock,
  dayAt,
  machine_timers,
  type RetentionKind,
  type RowArchive,
} from '@tallystick/kernel';
import type { Settings } from '../composition/settings.ts';

/** Where rows go after their retention time; null: nowhere. */
export function openArchive(
  { archive_folder }: Pick<Settings, 'archive_folder'>,
  { nowMs }: Clock = machine_timers,
): RowArchive | null {
  return archive_folder === null ? null : archiveFiles(archive_folder, () => dayAt(nowMs()));
}

/** A file that has this many bytes is followed by another. */
const file_bytes_max = 256 * 1024 * 1024;

interface ArchiveFile {
  readonly path: string;
  readonly date: string;
  /** The length of all rows that were written completely. */
  bytes: number;
}

/**
 * Archives rows in files `<kind>-<date>-<n>.ndjson` of a folder: one JSON object per line, with the
 * names of the columns. Only this user can read them. A process never writes to the file of another
 * process, so it uses the next free number. `today` returns the date for new files, UTC.
 *
 * Rows are on the disk when `write` resolves. When a write fails, for example because the disk is
 * full, the incomplete lines are removed from the file, if that is still possible.
 */
export function archiveFiles(folder: string, today: () => string): RowArchive {
  const files = new Map<RetentionKind, ArchiveFile>();

  /** The file for the next rows of a kind. */
  async function fileOf(kind: RetentionKind): Promise<ArchiveFile> {
    const date = today();
    const current = files.get(kind);
    if (current !== undefined && current.date === date && current.bytes < file_bytes_max) return current;
    const file = { path: await createFile(folder, `${kind}-${date}`), date, bytes: 0 };
    files.set(kind, file);
    return file;
  }

  return {
    async write(kind, rows) {
      const file = await fileOf(kind);
      const text = Buffer.from(rows.map(lineOf).join(''));
      const handle = await open(file.path, 'r+');
      try {
        await writeAll(handle, text, file.bytes);
        await handle.sync();
      } catch (error) {
        await handle.truncate(file.bytes).catch(() => undefined);
        throw error;
      } finally {
        await handle.close();
      }
      file.bytes += text.length;
    },
  };
}

/** A folder of the configuration cannot be created, or this user may not write in it. */
export class UnusableFolder extends Error {
  override readonly name = 'UnusableFolder';
}

/**
 * Creates the folder of a setting unless it exists. Rejects with `UnusableFolder`, so that a wrong
 * folder is known at the start and not when it is needed, which may be months later.
 */
export async function openFolder(setting: string, folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).message;
    throw new UnusableFolder(`${setting}=${folder} cannot be used: ${reason}`, { cause: error });
  }
}

function lineOf(row: ArchivedRow): string {
  return `${JSON.stringify(row)}\n`;
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const result = await handle.write(bytes, written, bytes.length - written, position + written);
    written += result.bytesWritten;
  }
}

/** Creates the next file with this name, and makes its entry in the folder durable. */
async function createFile(folder: string, name: string): Promise<string> {
  await openFolder('ARCHIVE_FOLDER', folder);
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${name}-${number}.ndjson`);
    try {
      await (await open(path, 'wx', 0o600)).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    const directory = await open(folder, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
    return path;
  }
}
