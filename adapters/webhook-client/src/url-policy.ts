import type { SendError } from '@tallystick/events';
import type { UrlPolicy } from '@tallystick/kernel';
import type { AddressGuard } from './address-guard.ts';

export interface UrlProblem {
  readonly error: SendError;
  /** The end of a sentence that begins with the field's name. */
  readonly message: string;
}

/**
 * Characters that a URL parser silently removes or replaces. A callback URL is signed as it was
 * written, so the request must use the same text.
 */
const altered_by_parsers = /[\s\p{Cc}\\]/u;

/**
 * The problem of a URL to call that its text shows, or null. The URL must be https, without
 * credentials or fragment, and its host must not be a refused address. The addresses of a name are
 * checked whenever a connection is made.
 */
export function findUrlProblem(text: string, guard: AddressGuard): UrlProblem | null {
  const refuse = (message: string): UrlProblem => ({ error: 'url_refused', message });
  const url = URL.parse(text);
  if (url === null) return refuse('must be a URL such as https://example.com/hooks');
  if (url.protocol !== 'https:') return refuse('must use https');
  if (altered_by_parsers.test(text)) return refuse('must not contain spaces, control characters or backslashes');
  const [, authority] = /^https:\/\/([^/?#]+)/i.exec(text) ?? [];
  if (authority === undefined) return refuse('must begin with https:// and a host');
  if (authority.includes('@')) return refuse('must not contain a user name or password');
  if (text.includes('#')) return refuse('must not have a fragment (#...)');
  // The parser has converted decimal, octal and hexadecimal forms into dotted ones. A name of the
  // local machine is refused unless the loopback network is allowed.
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const names_loopback = /^localhost\.?$|\.localhost\.?$/.test(host);
  const literal = /^[\d.]+$|:/.test(host) ? host : names_loopback ? '127.0.0.1' : null;
  if (literal === null || guard.allows(literal)) return null;
  return { error: 'address_refused', message: `names ${host}, which may not be called: a public address is needed` };
}

export function urlPolicy(guard: AddressGuard): UrlPolicy {
  return (url) => findUrlProblem(url, guard)?.message ?? null;
}
