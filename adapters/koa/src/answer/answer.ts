import type { Page } from '@tallystick/kernel';
import type { Query } from '../request/query.ts';

/** What a handler gives back: a status, a JSON body if any, and headers of its own. */
export interface Answer {
  readonly status: number;
  /** Absent: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once the transaction has committed. */
  readonly committed?: () => void;
  /** Ids of the cards whose numbers it shows. The audit log tells of each showing, and so of each replay. */
  readonly shows_numbers_of?: readonly number[];
}

/** An answer as it goes out: the body already text, so that it can be kept and replayed byte for byte. */
export interface RenderedAnswer {
  readonly status: number;
  /** JSON text; null: no body. */
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly shows_numbers_of?: readonly number[];
}

const no_headers: Readonly<Record<string, string>> = {};

/** Writes the body of an answer as JSON text. */
export function render(answer: Answer): RenderedAnswer {
  return {
    status: answer.status,
    text: answer.body === undefined ? null : JSON.stringify(answer.body),
    headers: answer.headers ?? no_headers,
    ...(answer.shows_numbers_of === undefined ? {} : { shows_numbers_of: answer.shows_numbers_of }),
  };
}

/** 200 with one resource under `data`. */
export function resource(data: unknown): Answer {
  return { status: 200, body: { data } };
}

/** 204 with an empty body: the answer to a deletion. */
export const no_content: Answer = { status: 204 };

/** What a list item is reduced to by `Prefer: return-minimal`. */
export interface MinimalItem {
  readonly id: string | number;
  readonly type: string;
  readonly url: string;
}

/**
 * 200 with a page of resources under `data`, and `links` that keep the filters. `minimal` reduces an item where the list
 * honours `Prefer: return-minimal`.
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
    ...(reduced ? { headers: { 'Preference-Applied': 'return-minimal' } } : {}),
  };
}
