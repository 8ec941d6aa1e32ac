/** The part of a list to return. Exactly one of `after` and `offset` may be set. */
export interface PageRequest {
  /** 1..100 items. */
  readonly limit: number;
  /**
   * The opaque cursor of an earlier page's `next`. Refused (`invalid_query`, path `after`) if it is
   * not one.
   */
  readonly after?: string;
  /** Items to skip, at most 10,000. For old clients. */
  readonly offset?: number;
}

/**
 * One page of a list, in the list's order. `next` is the cursor of the next page, null on the last
 * page.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export const page_limit_default = 50;
export const page_limit_max = 100;
export const page_offset_max = 10_000;
/** The most filters on one list: each costs a lookup for each item that the others leave. */
export const filters_max = 10;
