import { invalid } from '@tallystick/kernel';
import { isLoopback } from './http-address.ts';

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
    throw invalid({ path: 'PUBLIC_URL', message });
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * The default public address: where the service listens, or loopback if it listens on all
 * addresses.
 */
export function defaultPublicUrl(listens_on: string): string {
  const url = new URL(listens_on);
  return isLoopback(url.hostname) ? url.origin : new URL(`${url.protocol}//127.0.0.1:${url.port}`).origin;
}
