/**
 * Whether the page asks by itself, because something is new. It does not count as use: a session ends
 * although its page is open.
 */
export function isAutomatic(request: Request): boolean {
  return request.headers.has('x-live') || new URL(request.url).pathname.endsWith('/live');
}
