import { invalidQuery } from '../errors/refusal.ts';
import type { PageRequest } from './page.ts';

/**
 * The cursor of the page that follows the row with this id, in a list that is ordered by falling
 * id. It names its list.
 */
export function cursor(list: string, id: number): string {
  return new TextEncoder().encode(`${list} ${id}`).toBase64({ alphabet: 'base64url', omitPadding: true });
}

/**
 * The id that the page begins below, or null for the first page. Refuses (`invalid_query`, path
 * `after`) text that is not a cursor of this list.
 */
export function afterId(list: string, { after }: PageRequest): number | null {
  if (after === undefined) return null;
  const id = idOf(after);
  if (!Number.isSafeInteger(id) || id < 1 || cursor(list, id) !== after) {
    throw invalidQuery({ path: 'after', message: 'must be the cursor of an earlier page of this list' });
  }
  return id;
}

/** The number in a cursor of any list; NaN when there is none. */
function idOf(text: string): number {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: 'base64url' });
    return Number(new TextDecoder().decode(bytes).split(' ')[1]);
  } catch {
    return Number.NaN;
  }
}
