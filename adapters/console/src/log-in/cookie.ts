import type { RequestFacts } from '../ports.ts';

/**
 * The name of a cookie. Over https no other host of the domain can set one that begins with
 * `__Host-`. Over http, on loopback, browsers do not accept it.
 */
function nameOf({ is_https }: RequestFacts, name: string): string {
  return `${is_https ? '__Host-' : ''}tallystick_${name}`;
}

/** The header that sets a cookie; with an age of 0 it is forgotten. */
export function cookie(
  facts: RequestFacts,
  name: string,
  value: string,
  age_s: number,
  same_site: 'Lax' | 'Strict' = 'Lax',
): string {
  // `__Host-` requires the whole host as its path, and a path ends at a semicolon.
  const path = facts.is_https || facts.base.includes(';') ? '/' : facts.base || '/';
  const secure = facts.is_https ? '; Secure' : '';
  return `${nameOf(facts, name)}=${value}; Path=${path}; HttpOnly; SameSite=${same_site}; Max-Age=${age_s}${secure}`;
}

/** The value of a cookie in base64url; null: the request has none. */
export function readCookie(request: Request, facts: RequestFacts, name: string): string | null {
  const wanted = `${nameOf(facts, name)}=`;
  const sent = (request.headers.get('cookie') ?? '').split(/;\s*/).find((one) => one.startsWith(wanted));
  const value = sent?.slice(wanted.length) ?? '';
  return /^[\w-]{1,4096}$/.test(value) ? value : null;
}
