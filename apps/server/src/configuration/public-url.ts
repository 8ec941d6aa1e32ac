import { invalid } from '@tallystick/kernel';
import { isLoopback } from './http-address.ts';

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

/** Where the service is for people when nobody has said so: where it listens, or loopback when it listens everywhere. */
export function defaultPublicUrl(listens_on: string): string {
  const url = new URL(listens_on);
  return isLoopback(url.hostname) ? url.origin : `http://127.0.0.1:${url.port || '80'}`;
}
