import type { TransactionOptions } from './call-options.ts';
import type { Id } from './generated/resources.ts';

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

/** Which page of a list. */
export interface PageOptions {
  /** The most items of a page, 1 to 100; 50 when absent. */
  readonly limit?: number | undefined;
  /** The `next` of an earlier page, with the same filters. */
  readonly after?: string | undefined;
  /** Leaves out this many items; not together with `after`. */
  readonly offset?: number | undefined;
}

export interface ListOptions extends TransactionOptions, PageOptions {}

export interface FilteredListOptions<Filter> extends ListOptions {
  readonly filter?: Filter | undefined;
}

export interface CompanyFilter {
  readonly company_id?: Id | undefined;
}

/** One value, or a range with both ends included; null: open. */
export type RangeFilter<Value> = Value | readonly [from: Value | null, to: Value | null];

/** YYYY-MM-DD, or a range of these. */
export type DateFilter = RangeFilter<string>;

/** An ISO 8601 instant, or a date, which means its whole GMT day; or a range of these. */
export type InstantFilter = RangeFilter<string>;

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
