import { invalid } from '@tallystick/kernel';
import type { Settings } from './settings.ts';

/** The address of the interface where nothing else is known. */
const default_interface_url = 'http://127.0.0.1:8080';

/**
 * The start of links in mails, and the issuer of tokens. A worker does not know where the interface
 * listens, so in a sandbox it uses the default port.
 */
export function publicUrl({ public_url, role }: Settings, listens_on: string | null): string {
  if (public_url !== null) return public_url;
  return role === 'worker' || listens_on === null ? default_interface_url : defaultPublicUrl(listens_on);
}

/**
 * The default public address: where the service listens, or loopback if it listens on all
 * addresses.
 */
export function defaultPublicUrl(listens_on: string): string {
  const url = new URL(listens_on);
  return isLoopback(url.hostname) ? url.origin : new URL(`${url.protocol}//127.0.0.1:${url.port}`).origin;
}

/**
 * Reads the public address of the service, and returns it without a slash at its end. Refuses
 * (`validation_failed`) addresses that are neither https nor loopback, because links in mails show
 * card numbers.
 */
export function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  const fits =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.username + url.password + url.search + url.hash === '';
  if (!fits) {
    const message = 'must be https://<host>, or http:// on loopback, without credentials or query';
    throw invalid({ path: 'public_url', message });
  }
  return url.href.replace(/\/+$/, '');
}

/** Whether a host, as a URL or a listener names it, is only this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(host);
}
