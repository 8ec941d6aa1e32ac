import { invalidQuery, Refusal, type TwoWayPage, type TwoWayPageRequest } from '@tallystick/kernel';
import { type Answer, list, type MinimalItem } from '../../answer/answer.ts';
import type { Query } from '../../request/query.ts';

/**
 * The answer with a page of a list that is read by cursors. `page[offset]` is refused
 * (`invalid_query`), and so is a cursor of another list.
 */
export async function twoWayList<Item>(
  query: Query,
  read: (page: TwoWayPageRequest) => Promise<TwoWayPage<Item>>,
  present: (item: Item) => unknown,
  minimal?: (item: Item) => MinimalItem,
): Promise<Answer> {
  const { limit, after, offset = 0 } = query.page;
  if (offset > 0) {
    throw invalidQuery({ path: 'page[offset]', message: 'must be 0 in this list; follow links.next instead' });
  }
  try {
    const page = await read({ limit, ...(after === undefined ? {} : { cursor: after }) });
    return list(query, page, present, minimal);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_query') throw error;
    throw invalidQuery(
      ...error.fields.map(({ path, message }) => ({ path: path === 'page' ? 'page[after]' : path, message })),
    );
  }
}
