import { type CheckedDocument, checkedDocument } from './documented-answers.ts';

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
