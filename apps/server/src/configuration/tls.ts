import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { TlsOptions } from '@tallystick/koa';
import type { TlsFiles } from './config.ts';

/** A file of TLS cannot be used. Shows no key. */
export class UnusableTls extends Error {
  override readonly name = 'UnusableTls';
}

/** Reads the files of TLS, and checks that certificate and key belong together. */
export async function loadTls(files: TlsFiles): Promise<TlsOptions> {
  const [certificate, key] = await Promise.all([
    read('TLS_CERTIFICATE', files.certificate),
    read('TLS_KEY', files.key),
  ]);
  const client_ca = files.client_ca === null ? null : await readAuthorities('TLS_CLIENT_CA', files.client_ca);
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    const { message } = error as Error;
    throw new UnusableTls(`TLS_CERTIFICATE ${files.certificate} and TLS_KEY ${files.key} cannot be used: ${message}`);
  }
  return { certificate, key, client_ca };
}

/** Reads a file of authorities in PEM, which a variable names. */
export async function readAuthorities(variable: string, path: string): Promise<string> {
  const text = await read(variable, path);
  try {
    new X509Certificate(text);
  } catch {
    throw new UnusableTls(`${variable} ${path} contains no certificate in PEM`);
  }
  return text;
}

/** Whether the server can be reached by TLS 1.2, whose permitted suites are for RSA (FAPI 1 Advanced 8.5). */
export function isRsa({ certificate }: Pick<TlsOptions, 'certificate'>): boolean {
  return new X509Certificate(certificate).publicKey.asymmetricKeyType === 'rsa';
}

async function read(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UnusableTls(`${variable}: ${code === 'ENOENT' ? `there is no file ${path}` : message}`);
  }
}
