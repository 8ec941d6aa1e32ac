/** The most that a third party's key set may have. */
export const keys_bytes_max = 65_536;

type Fetch = (url: string | URL | Request, options?: RequestInit) => Promise<Response>;

/**
 * Fetches the keys of third parties: over https only, without redirects. How long they are kept is
 * not the third party's choice, because a key that it withdraws must end soon: the library keeps
 * them for 60 seconds when an answer says nothing else.
 */
export function fetchKeys(port: typeof fetch | undefined): Fetch {
  return async (url, options) => {
    if (!String(url).startsWith('https://')) throw new Error('keys are fetched over https only');
    const answer = await (port === undefined
      ? fetch(url, { ...options, redirect: 'error' })
      : port(url, { ...withoutDispatcher(options), redirect: 'error' }));
    const headers = new Headers(answer.headers);
    for (const name of ['cache-control', 'expires', 'content-encoding', 'content-length']) headers.delete(name);
    return new Response(answer.body, { status: answer.status, headers });
  };
}

/** The dispatcher of the library belongs to Node's own `fetch`. */
function withoutDispatcher(options: RequestInit | undefined): RequestInit {
  const { dispatcher: _, ...rest } = (options ?? {}) as RequestInit & { readonly dispatcher?: unknown };
  return rest;
}
