import { type CheckedDocument, checkedDocument } from './documented-answers.ts';
import { sandbox_keys } from './server.ts';

/** An answer does not agree with the document. */
export class UndocumentedAnswer extends Error {
  override readonly name = 'UndocumentedAnswer';
}

/** One per text: many servers of one test serve the same document. */
const documents = new Map<string, CheckedDocument>();

function documentOfText(text: string): CheckedDocument {
  const document = documents.get(text) ?? checkedDocument(text);
  documents.set(text, document);
  return document;
}

/** Throws an `UndocumentedAnswer` unless the answer agrees with the document. */
export async function assertDocumented(document: string, method: string, url: URL, answer: Response): Promise<void> {
  const { status, headers } = answer;
  const text = await answer.clone().text();
  const problem = documentOfText(document).findAnswerProblem(method, url.pathname, { status, headers, text });
  if (problem !== null) throw new UndocumentedAnswer(problem);
}

const origins = new Map<string, Promise<string | null>>();

/** Returns the document that a server serves; null when it serves none, or has stopped. */
function documentOf(origin: string): Promise<string | null> {
  let document = origins.get(origin);
  if (document === undefined) {
    document = unchecked(`${origin}/openapi.json`).then(
      async (answer) => (answer.ok ? await answer.text() : null),
      () => {
        origins.delete(origin);
        return null;
      },
    );
    origins.set(origin, document);
  }
  return document;
}

const unchecked = globalThis.fetch;

/**
 * Whether the answer came from the service. All its answers have an id; those of the receivers of
 * tests have none.
 */
function isOurs({ headers }: Response): boolean {
  return headers.has('x-request-id');
}

/**
 * `fetch` that checks every answer against the document of its server. Rejects with an
 * `UndocumentedAnswer` when the service has no document; servers of others need none.
 */
export const checkedFetch: typeof fetch = async (input, init) => {
  const answer = await unchecked(input, init);
  const url = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const document = await documentOf(url.origin);
  if (document !== null) await assertDocumented(document, method, url, answer);
  else if (isOurs(answer))
    throw new UndocumentedAnswer(`${url.origin} serves no document to check its answers against`);
  return answer;
};

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

/**
 * Sends a request, and sends it again while the server refuses it because of load: it has done
 * nothing then. On a busy machine requests of one company that wait for others take too long.
 */
export async function sendUntilAdmitted(...request: Parameters<typeof send>): Promise<Reply> {
  for (;;) {
    const reply = await send(...request);
    if (reply.status !== 503 || reply.json.error !== 'the service is overloaded; try again') return reply;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
