import type { Page } from '@tallystick/kernel';
import type { Query } from '../request/query.ts';

/** The result of a handler: a status, a JSON body if any, and further headers. */
export interface Answer {
  readonly status: number;
  /** Absent: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a list: the cursor of the next page, or null on the last one. `body` has it as a link. */
  readonly next?: string | null;
  /**
   * Called once the transaction has committed; in a transaction of the host, at the end of the
   * call. So it may only speed up what happens anyway.
   */
  readonly committed?: () => void;
  /**
   * Ids of the cards whose numbers the answer shows. The audit log records every showing, and so
   * every replay.
   */
  readonly shows_numbers_of?: readonly number[];
  /** In place of a JSON body. */
  readonly file?: AnsweredFile;
}

/** A body of any length that is made while it is sent. */
export interface AnsweredFile {
  /** With its parameters: `text/csv; charset=utf-8`. */
  readonly media_type: string;
  /** The name under which a browser saves it. */
  readonly name: string;
  /** The first chunk. */
  readonly first: string;
  /** The chunks after the first. Ended early when the client disconnects. */
  readonly rest: AsyncGenerator<string, void, undefined>;
}

/**
 * An answer as sent. The body is text already, so that it can be stored and replayed byte for byte.
 */
export interface RenderedAnswer {
  readonly status: number;
  /** JSON text; null: no body. */
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly shows_numbers_of?: readonly number[];
  readonly file?: AnsweredFile;
}

const no_headers: Readonly<Record<string, string>> = {};

/** Writes the body of an answer as JSON text. */
export function render(answer: Answer): RenderedAnswer {
  return {
    status: answer.status,
    text: answer.body === undefined ? null : JSON.stringify(answer.body),
    headers: answer.headers ?? no_headers,
    ...(answer.shows_numbers_of === undefined ? {} : { shows_numbers_of: answer.shows_numbers_of }),
    ...(answer.file === undefined ? {} : { file: answer.file }),
  };
}

/** Returns 200 with one resource under `data`. */
export function resource(data: unknown): Answer {
  return { status: 200, body: { data } };
}

/**
 * Returns 200 with a file. Rejects as its first chunk does, so that a request that fails at once
 * has an error answer.
 */
export async function fileAnswer(
  { media_type, name }: Pick<AnsweredFile, 'media_type' | 'name'>,
  chunks: AsyncGenerator<string, void, undefined>,
): Promise<Answer> {
  const { value } = await chunks.next();
  return { status: 200, file: { media_type, name, first: value ?? '', rest: chunks } };
}

/** 204 with an empty body: the answer to a deletion. */
export const no_content: Answer = { status: 204 };

/** The fields of a list item with `Prefer: return-minimal`. */
export interface MinimalItem {
  readonly id: string | number;
  readonly type: string;
  readonly url: string;
}

/**
 * Returns 200 with a page of resources under `data`, and `links` with the same filters. `minimal`
 * reduces an item where the list supports `Prefer: return-minimal`.
 */
export function list<Item>(
  query: Query,
  page: Page<Item>,
  present: (item: Item) => unknown,
  minimal?: (item: Item) => MinimalItem,
): Answer {
  const reduced = query.prefers_minimal && minimal !== undefined;
  const data = page.items.map(reduced ? minimal : present);
  const links = { first: query.link(null), next: page.next === null ? null : query.link(page.next) };
  return {
    status: 200,
    body: { data, links },
    next: page.next,
    ...(reduced ? { headers: { 'Preference-Applied': 'return-minimal' } } : {}),
  };
}
