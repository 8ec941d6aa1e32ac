/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page, for the option `after`; null: this is the last page. */
  readonly next: string | null;
}

/**
 * A list. Awaited, it is its first page. In `for await`, it is all its items: each page is read
 * when its first item is needed.
 *
 *     const { items, next } = await tally.company(1).cards.list({ limit: 50 });
 *     for await (const card of tally.company(1).cards.list()) console.log(card.id);
 */
export interface List<Item> extends Promise<ListPage<Item>>, AsyncIterable<Item> {}

/**
 * Returns the list whose pages a function reads: the one after a cursor, or without a cursor the one
 * that the caller asked for. Reads the first page immediately.
 */
export function listOf<Item>(readPage: (after?: string) => Promise<ListPage<Item>>): List<Item> {
  const first = readPage();
  async function* items(): AsyncGenerator<Item, void, undefined> {
    let page = await first;
    for (;;) {
      yield* page.items;
      if (page.next === null) return;
      page = await readPage(page.next);
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}
