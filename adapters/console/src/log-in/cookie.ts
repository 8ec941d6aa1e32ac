import type { BegunSession } from '@tallystick/access';
import type { RequestFacts } from '../ports.ts';

/**
 * The name of a cookie. Over https no other host of the domain can set one that begins with
 * `__Host-`. Over http, on loopback, browsers do not accept it.
 */
function nameOf({ is_https }: RequestFacts, name: string): string {
  return `${is_https ? '__Host-' : ''}tallystick_${name}`;
}

type SameSite = 'Lax' | 'Strict';

/** The header that sets a cookie; with an age of 0 it is forgotten. */
export function cookie(
  facts: RequestFacts,
  name: string,
  value: string,
  age_s: number,
  same_site: SameSite = 'Lax',
): string {
  // `__Host-` requires the whole host as its path, and a path ends at a semicolon.
  const path = facts.is_https || facts.base.includes(';') ? '/' : facts.base || '/';
  const secure = facts.is_https ? '; Secure' : '';
  return `${nameOf(facts, name)}=${value}; Path=${path}; HttpOnly; SameSite=${same_site}; Max-Age=${age_s}${secure}`;
}

/** The header that sets the token of a session, which lasts as long as the session. */
export function sessionCookie(
  facts: RequestFacts,
  name: string,
  { session, token }: BegunSession,
  same_site?: SameSite,
): string {
  return cookie(facts, name, token, (session.ends_machine_ms - session.created_machine_ms) / 1_000, same_site);
}

/** Leads to another page, with a cookie. */
export function leadTo(location: string, set_cookie: string): Response {
  return new Response(null, { status: 303, headers: { Location: location, 'Set-Cookie': set_cookie } });
}

/** The value of a cookie in base64url; null: the request has none. */
export function readCookie(request: Request, facts: RequestFacts, name: string): string | null {
  const wanted = `${nameOf(facts, name)}=`;
  const sent = (request.headers.get('cookie') ?? '').split(/;\s*/).find((one) => one.startsWith(wanted));
  const value = sent?.slice(wanted.length) ?? '';
  return /^[\w-]{1,4096}$/.test(value) ? value : null;
}
