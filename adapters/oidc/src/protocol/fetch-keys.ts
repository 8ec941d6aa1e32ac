/** The most that a third party's key set may have. */
const keys_bytes_max = 65_536;

type Fetch = (url: string | URL | Request, options?: RequestInit) => Promise<Response>;

/**
 * Fetches the keys of third parties: over https only, without redirects. The dispatcher of the
 * library refuses addresses that are not public, and its signal ends a fetch after 2.5 seconds. Keys
 * are kept for a minute at most (`keys_minute`), whatever the answer says.
 */
export function fetchKeys(port: typeof fetch | undefined): Fetch {
  return async (url, options) => {
    if (!String(url).startsWith('https://')) throw new Error('keys are fetched over https only');
    const answer = await (port === undefined
      ? fetch(url, { ...options, redirect: 'error' })
      : port(url, { ...withoutDispatcher(options), redirect: 'error' }));
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new Error(`the keys were answered with the status ${answer.status}`);
    }
    return new Response(await readBounded(answer));
  };
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > keys_bytes_max) throw new Error(`the keys are larger than ${keys_bytes_max} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The dispatcher of the library belongs to Node's own `fetch`. */
function withoutDispatcher(options: RequestInit | undefined): RequestInit {
  const { dispatcher: _, ...rest } = (options ?? {}) as RequestInit & { readonly dispatcher?: unknown };
  return rest;
}
