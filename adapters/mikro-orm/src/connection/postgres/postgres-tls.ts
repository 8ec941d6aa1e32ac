import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { invalid } from '@tallystick/kernel';

/** The parameters of libpq that name a file in PEM, with what the file contains for Node. */
const files = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

/** Of the client itself, and of later versions of libpq: they would change what `sslmode` means. */
const refused = ['ssl', 'uselibpqcompat', 'sslnegotiation'];

/**
 * The TLS that the URL of a database asks for: false for `sslmode=disable`, undefined when the URL
 * says nothing. Reads the files that the URL names. Throws a `Refusal` about anything that would be
 * encrypted without a check of the server: whoever stands between could read and change everything.
 */
export function readPostgresTls(database_url: string): ConnectionOptions | false | undefined {
  const url = new URL(database_url);
  const { searchParams: parameters } = url;
  const wrong = refused.find((name) => parameters.has(name));
  if (wrong !== undefined) throw refuse(`must not have ${wrong}=${parameters.get(wrong)}: ${choices}`);
  const mode = parameters.get('sslmode');
  if (mode !== 'verify-full') {
    if (mode !== null && mode !== 'disable') throw refuse(`must not have sslmode=${mode}: ${choices}`);
    const other = Object.keys(files).find((name) => parameters.has(name));
    if (other !== undefined) throw refuse(`has ${other} without sslmode=verify-full`);
    return mode === null ? undefined : false;
  }
  const host = (parameters.get('host') ?? decodeURIComponent(url.hostname)).replace(/^\[(.*)\]$/, '$1');
  const tls: ConnectionOptions = {
    // The client passes on no host that is an address, and Node would look for "localhost" in the
    // certificate.
    host,
    // NODE_TLS_REJECT_UNAUTHORIZED=0 must not matter here.
    rejectUnauthorized: true,
  };
  for (const [parameter, content] of Object.entries(files)) {
    const path = parameters.get(parameter);
    if (path !== null) tls[content] = readPem(parameter, path);
  }
  if ((tls.cert === undefined) !== (tls.key === undefined)) throw refuse('must have both sslcert and sslkey');
  try {
    createSecureContext(tls);
  } catch (error) {
    throw refuse(`has a sslcert and a sslkey that cannot be used: ${(error as Error).message}`);
  }
  return tls;
}

/** Without what `readPostgresTls` has read: the client would read it in its own way. */
export function withoutTlsParameters(database_url: string): string {
  const url = new URL(database_url);
  for (const name of ['sslmode', ...Object.keys(files)]) url.searchParams.delete(name);
  return url.href;
}

const choices =
  'write sslmode=verify-full, and the file of its authority as sslrootcert=<path> unless it is a public one; or sslmode=disable for no TLS';

function readPem(parameter: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refuse(`has ${parameter}: ${code === 'ENOENT' ? `there is no file ${path}` : message}`);
  }
  if (parameter === 'sslkey') return text;
  try {
    new X509Certificate(text);
  } catch {
    throw refuse(`has ${parameter}: ${path} contains no certificate in PEM`);
  }
  return text;
}

function refuse(message: string) {
  return invalid({ path: 'DATABASE_URL', message });
}
