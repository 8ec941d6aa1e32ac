/**
 * The name of a cookie. Browsers accept `__Host-` only from https, for one host and its whole path:
 * no other host of the domain can set such a cookie. `__Secure-` is for one that belongs to a path.
 * Over http, on loopback, neither is accepted.
 */
export function cookieName(issuer: string, name: string, path: '/' | 'its own'): string {
  if (!issuer.startsWith('https:')) return name;
  return `${path === '/' ? '__Host-' : '__Secure-'}${name}`;
}
