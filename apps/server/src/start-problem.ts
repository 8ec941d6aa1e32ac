import { resolve } from 'node:path';
import { Fault, findRootCause, rootMessageOf } from '@tallystick/kernel';
import { NewerSchema, OlderSchema, OtherStatementKey, UnusableSchema } from '@tallystick/mikro-orm';
import { isSqlite, UnusableFolder, UnusableKeysFile, WrongKeys } from 'tallystick/inversify';
import type { Config } from './configuration/config.ts';
import { UnusableFormats } from './configuration/formats.ts';
import { UnusableTls } from './configuration/tls.ts';
import { UnusableUserLogin } from './configuration/user-login.ts';

/**
 * One sentence for the person who starts the server: the problem, and how to solve it. Shows no
 * password. An unexpected error is a bug, and is shown with its stack.
 */
export function describeStartProblem(error: unknown, config: Config): string {
  const code = codeOf(error);
  const message = rootMessageOf(error).replace(/\.$/, '');
  const is_network = config.network !== null && isAbout(error, config.network);
  const { host, port } = is_network ? config.network : config;
  const prefix = is_network ? 'NETWORK_' : '';
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use: stop the program that listens there, or set ${prefix}PORT (0: any free port).`;
  }
  if (code === 'EACCES' && message.includes('listen')) {
    return `Port ${port} on ${host} may not be used by this user: set ${prefix}PORT to one above 1023.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    if (message.includes('listen') || message.includes(host)) {
      return `${prefix}HOST=${host} is not an address of this machine: ${message}.`;
    }
  }
  if (error instanceof WrongKeys) {
    const where = config.key_setting ?? `the file keys in ${config.data_folder}`;
    return `The keys do not fit the database: ${message}. Use the key ring that was last used with it (${where}).`;
  }
  if (error instanceof NewerSchema) {
    return `The database ${showDatabase(config.database_url)} was migrated by a newer version: this one does not know ${error.migrations.join(', ')}. Start the newer version. To return to this one, read "Roll back" in docs/deployment.md.`;
  }
  if (error instanceof OlderSchema) {
    if (error.migrations.some((name) => name.startsWith('0001-'))) {
      return `The database ${showDatabase(config.database_url)} has no tables of Tallystick; check DATABASE_URL. "npm run migrate" creates them.`;
    }
    return `The database ${showDatabase(config.database_url)} has the schema of an older version: ${error.migrations.join(', ')} is missing. Start the server of this version, or run: npm run migrate`;
  }
  if (error instanceof OtherStatementKey) {
    const { made_with, setting } = error;
    return `The database ${showDatabase(config.database_url)} was made with STATEMENT_KEY=${made_with}, which cannot be changed to ${setting}: set STATEMENT_KEY=${made_with} again.`;
  }
  const unusable = [UnusableSchema, UnusableKeysFile, UnusableFormats, UnusableFolder, UnusableTls, UnusableUserLogin];
  if (unusable.some((kind) => error instanceof kind)) return `${(error as Error).message}.`;
  if (/CERT|_SIGNATURE$/.test(code)) {
    return `The database ${showDatabase(config.database_url)} does not have the certificate that DATABASE_URL asks for: ${message}. sslrootcert must be the file of its authority, and the host one of its names.`;
  }
  // The remaining errors of the system come from opening the database, for example a read-only
  // folder or a full disk.
  if (error instanceof Fault || (code !== '' && !code.startsWith('ERR_')))
    return `The database ${showDatabase(config.database_url)} cannot be used: ${message}.`;
  return `The server could not start: ${error instanceof Error ? error.stack : message}`;
}

/** Whether listening there failed. The errors of the system name the port, or the host that is unknown. */
function isAbout(error: unknown, { host, port }: NonNullable<Config['network']>): boolean {
  const { port: failed_port, hostname } = Object(findRootCause(error)) as {
    readonly port?: number;
    readonly hostname?: string;
  };
  return failed_port === undefined ? hostname === host : failed_port === port;
}

/** The address of the database, without a password. */
export function showDatabase(database_url: string): string {
  if (isSqlite(database_url)) return database_url;
  const url = new URL(database_url);
  url.password = '';
  if (url.searchParams.has('password')) url.searchParams.delete('password');
  return url.href;
}

/** The line that states on which database a command works, without a password. */
export function describeDatabase(database_url: string): string {
  if (!isSqlite(database_url)) return `database: ${showDatabase(database_url)}`;
  return `database: sqlite:${resolve(database_url.slice('sqlite:'.length))}`;
}

function codeOf(error: unknown): string {
  const code = (findRootCause(error) as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
