import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const default_folder = './data';

/** Where a database is that nobody named. */
export const default_database_url = `sqlite:${default_folder}/tallystick.db`;

/** Where a sandbox keeps its keys: beside the file of its database. */
export function dataFolderOf(database_url: string): string {
  return database_url.startsWith('sqlite:') ? dirname(database_url.slice('sqlite:'.length)) : default_folder;
}

/**
 * Makes the folder if it is the default, readable by this user only. A folder that somebody named
 * must exist: the name may be wrong, and the service would begin with an empty database.
 */
export function makeDefaultFolder(folder: string): void {
  if (resolve(folder) === resolve(default_folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
}
