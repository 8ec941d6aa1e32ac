import { showDatabase } from '@tallystick/server';

/**
 * ` --database-url <url>` for the command of a hint, as a shell takes it: without the option the
 * command would work on the default database. Shows no password. Empty when this command had none.
 */
export function databaseOption(database_url: string | undefined): string {
  if (database_url === undefined) return '';
  const shown = showDatabase(database_url);
  const is_plain = /^[\w@%+=:,./-]+$/.test(shown);
  return ` --database-url ${is_plain ? shown : `'${shown.replaceAll("'", "'\\''")}'`}`;
}
