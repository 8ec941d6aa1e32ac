/**
 * Whether a page sends the request by itself, because something is new. That is no use of the session,
 * which ends even with its page open.
 */
export function isAutomatic(request: Request): boolean {
  return request.headers.has('x-live') || new URL(request.url).pathname.endsWith('/live');
}
