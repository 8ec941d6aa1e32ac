import { checkedFetch } from './checked-fetch.ts';
import { sandbox_keys } from './server.ts';

/** A response over HTTP. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  readonly json: any;
}

export interface Sending {
  /** The name of a role with a fixed key, or the text of a key. Default: the client's key. */
  readonly key?: keyof typeof sandbox_keys | (string & {});
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends one request. Rejects with a `TypeError` if no complete answer was received; the server may
 * or may not have done the work.
 */
export async function send(
  url: string,
  method: string,
  path: string,
  { key = 'client', body, headers = {} }: Sending = {},
): Promise<Reply> {
  const text = key in sandbox_keys ? sandbox_keys[key as keyof typeof sandbox_keys] : key;
  const response = await checkedFetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${text}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answer = await response.text();
  return { status: response.status, headers: response.headers, text: answer, json: parsed(answer) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
