/**
 * One list from several lists, each newest first with cursors of its own: a page has the newest
 * items of all. Its cursor says of each list where it stands.
 */
import { invalidQuery } from '@tallystick/kernel';

export interface Timed {
  /** An instant of ISO 8601 in UTC. */
  readonly at: string;
}

/** Reads a page of a list, at most `limit` items, newest first. */
export type ReadPage<Item extends Timed> = (
  after: string | undefined,
  limit: number,
) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>;

/** Where a list stands: the cursor of a page, and how many of its items were shown; null: its end. */
type Place = readonly [after: string | 0, shown: number] | null;

/**
 * Returns the next items of all lists, at most `limit`, and the cursor of the page after it. A page
 * may be shorter, because it ends where a list has to be read on.
 */
export async function mergePages<Item extends Timed>(
  lists: readonly ReadPage<Item>[],
  cursor: string | undefined,
  limit: number,
): Promise<{ readonly items: readonly Item[]; readonly next: string | null }> {
  const places = cursor === undefined ? lists.map((): Place => [0, 0]) : readCursor(cursor, lists.length);
  const heads = await Promise.all(
    lists.map(async (read, at) => {
      const place = places[at] ?? null;
      if (place === null) return null;
      const [after, shown] = place;
      const { items, next } = await read(after === 0 ? undefined : after, limit);
      // The page may be shorter than it was when some of it were shown.
      const left_out = Math.max(0, shown - items.length);
      return { after, items, next, shown: shown - left_out, left_out };
    }),
  );
  const merged: Item[] = [];
  while (merged.length < limit) {
    const open = heads.filter((head) => head !== null).filter(isOpen);
    // A list whose page was shown to its end may go on with newer items than the others have.
    if (open.length === 0 || open.some(({ items, shown }) => shown === items.length)) break;
    const newest = open.reduce((one, other) => (atOf(other) > atOf(one) ? other : one));
    merged.push(newest.items[newest.shown]!);
    newest.shown += 1;
  }
  const after = heads.map((head): Place => {
    if (head === null) return null;
    if (head.shown < head.items.length) return [head.after, head.shown];
    return head.next === null ? null : [head.next, head.left_out];
  });
  return { items: merged, next: after.every((place) => place === null) ? null : writeCursor(after) };
}

interface Head<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  /** How many of the items were shown. */
  shown: number;
}

function isOpen({ items, next, shown }: Head<unknown>): boolean {
  return shown < items.length || next !== null;
}

function atOf({ items, shown }: Head<Timed>): number {
  return Date.parse(items[shown]!.at);
}

function writeCursor(places: readonly Place[]): string {
  return Buffer.from(JSON.stringify(places)).toString('base64url');
}

function readCursor(cursor: string, count: number): readonly Place[] {
  try {
    const places: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(places) && places.length === count && places.every(isPlace)) return places;
  } catch {
    // It is none.
  }
  throw invalidQuery({ path: 'after', message: 'is no cursor of this list' });
}

function isPlace(value: unknown): value is Place {
  if (value === null) return true;
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [after, shown] = value as readonly unknown[];
  return (after === 0 || typeof after === 'string') && Number.isSafeInteger(shown) && Number(shown) >= 0;
}
