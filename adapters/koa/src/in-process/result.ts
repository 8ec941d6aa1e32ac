import type { Answer, AnsweredFile } from '../answer/answer.ts';

/** The result of a call. */
export interface OperationResult {
  /**
   * 200; 204 without data; 202 while the work of an import goes on; 503 when a fault prevented a
   * decision, whose item then has the code U.
   */
  readonly status: number;
  /**
   * The `data` of the answer over HTTP, as a value that JSON can carry: a resource, or the items of
   * a page. Undefined when there is none.
   */
  readonly data: unknown;
  /** Of a list: the cursor for `page.after` of the next page; else, and on the last page, null. */
  readonly next: string | null;
  /** Null unless the operation answers with a file. */
  readonly file: ResultFile | null;
}

/** A file of any length that is made while it is read. */
export interface ResultFile {
  /** With its parameters: `text/csv; charset=utf-8`. */
  readonly media_type: string;
  /** A plain name for the file. */
  readonly name: string;
  /**
   * Its text in pieces. Iterate it to its end, or call `return()`: until then it keeps one of the
   * few places for files that are made at the same time.
   */
  readonly pieces: AsyncIterableIterator<string, void, undefined> & AsyncDisposable;
}

/** Returns the answer of a route as a value without parts of HTTP. */
export function resultOf(answer: Answer): OperationResult {
  const { status, body, next = null, file } = answer;
  return {
    status,
    data: contentOf(body),
    next,
    file: file === undefined ? null : { media_type: file.media_type, name: file.name, pieces: piecesOf(file) },
  };
}

/**
 * The content of a body as JSON has it: a copy, so that the caller may change it, without members
 * that are undefined, and with numbers of cards and other branded values in the form that is sent.
 */
function contentOf(body: unknown): unknown {
  if (body === undefined) return undefined;
  const sent = JSON.parse(JSON.stringify(body)) as Readonly<Record<string, unknown>>;
  return Object.hasOwn(sent, 'data') ? sent.data : sent;
}

function piecesOf({ first, rest }: AnsweredFile): ResultFile['pieces'] {
  let is_first = true;
  return {
    async next() {
      if (!is_first) return await rest.next();
      is_first = false;
      return { done: false, value: first };
    },
    async return() {
      is_first = false;
      return await rest.return();
    },
    async [Symbol.asyncDispose]() {
      await rest.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
