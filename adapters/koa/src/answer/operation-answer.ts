import type { Page } from '@tallystick/kernel';
import { Interim, type MinimalItem, type OperationCall, type ResultFile } from '@tallystick/operations';
import type { Route } from '../join-endpoints.ts';
import type { HttpQuery } from '../request/query.ts';
import type { Answer } from './answer.ts';
import { retry_after_s } from './error-answer.ts';

/** Returns the answer that shows the result of an operation. */
export function answerOf(
  route: Route,
  call: OperationCall,
  query: HttpQuery,
  result: unknown,
): Answer | Promise<Answer> {
  const { operation } = route;
  if (result instanceof Interim) return interimAnswer(result, call, query);
  if (operation.answers_file !== undefined) return fileAnswer(result as ResultFile);
  if (operation.query?.paged) return list(route, query, result as Page<never>);
  if (result === undefined) return { status: 204 };
  const body = route.is_bare ? result : { data: result };
  const shows_number = 'showsNumber' in operation && operation.showsNumber?.(call) === true;
  return { status: 200, body, ...(shows_number ? { shows_numbers_of: [Number((result as MinimalItem).id)] } : {}) };
}

function interimAnswer({ state, data }: Interim, { request_id }: OperationCall, query: HttpQuery): Answer {
  if (state === 'undecided') return undecidedAnswer(data, request_id);
  return { status: 202, body: { data }, headers: query.prefers_async ? { 'Preference-Applied': 'respond-async' } : {} };
}

/**
 * The answer when a fault prevented the decision. The network still receives an item, with the code
 * U (DE39 96).
 */
export function undecidedAnswer(item: unknown, request_id: string): Answer {
  return {
    status: 503,
    body: { data: item, error: 'unable to process; nothing was approved', code: 'unable_to_process', request_id },
    headers: { 'Retry-After': String(retry_after_s) },
  };
}

/**
 * Returns 200 with a file. Rejects as its first chunk does, so that a request that fails at once
 * has an error answer.
 */
export async function fileAnswer({ media_type, name, pieces }: ResultFile): Promise<Answer> {
  const { value } = await pieces.next();
  return { status: 200, file: { media_type, name, first: value ?? '', rest: pieces } };
}

const minimalItem = ({ id, type, url }: MinimalItem): MinimalItem => ({ id, type, url });

/** Returns 200 with a page of resources under `data`, and `links` with the same filters. */
function list({ reduces_items, minimal = minimalItem }: Route, query: HttpQuery, page: Page<never>): Answer {
  const reduced = query.prefers_minimal && reduces_items;
  const links = { first: query.link(null), next: page.next === null ? null : query.link(page.next) };
  return {
    status: 200,
    body: { data: reduced ? page.items.map(minimal) : page.items, links },
    ...(reduced ? { headers: { 'Preference-Applied': 'return-minimal' } } : {}),
  };
}
