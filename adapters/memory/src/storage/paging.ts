import { invalidQuery, type Page, type PageRequest } from '@tallystick/kernel';

/**
 * Returns a page of the rows, newest first by id. The cursor is the last id of the previous page
 * and names its list. Any other text is refused (`invalid_query`).
 */
export function newestFirst<Row extends { readonly id: number }>(
  list: string,
  rows: readonly Row[],
  page: PageRequest,
): Page<Row> {
  const after = afterId(list, page);
  const offset = page.offset ?? 0;
  const following = rows.filter(({ id }) => after === null || id < after).sort((a, b) => b.id - a.id);
  const items = following.slice(offset, offset + page.limit);
  const last = following.length > offset + page.limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : cursor(list, last.id) };
}

/** Returns the id below which the page begins, or null for the first page. */
function afterId(list: string, { after }: PageRequest): number | null {
  if (after === undefined) return null;
  const id = Number(Buffer.from(after, 'base64url').toString('latin1').split(' ')[1]);
  if (!Number.isSafeInteger(id) || id < 1 || cursor(list, id) !== after) {
    throw invalidQuery({ path: 'page[after]', message: 'must be the cursor of an earlier page of this list' });
  }
  return id;
}

function cursor(list: string, id: number): string {
  return Buffer.from(`${list} ${id}`, 'latin1').toString('base64url');
}
