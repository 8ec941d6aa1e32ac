import { invalid } from '@tallystick/kernel';

/**
 * Reads the address under which people reach the service, and gives it without a slash at its end. Refuses (`validation_failed`)
 * what is neither https nor loopback: links in mails show card numbers.
 */
export function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  const fits =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.username + url.password + url.search + url.hash === '';
  if (!fits) {
    const message = 'must be https://<host>, or http:// on loopback, without credentials and query';
    throw invalid({ path: 'PUBLIC_URL', message });
  }
  return url.href.replace(/\/+$/, '');
}

/** Whether a host, as a URL or a listener names it, is this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(host);
}

/** Where the service is for people when nobody has said so: where it listens, or loopback when it listens everywhere. */
export function defaultPublicUrl(listens_on: string): string {
  const url = new URL(listens_on);
  return isLoopback(url.hostname) ? url.origin : `http://127.0.0.1:${url.port || '80'}`;
}

/** Where the interface is when nothing is configured. */
export const default_interface_url = 'http://127.0.0.1:8080';
