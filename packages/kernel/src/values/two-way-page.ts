/** The part of a list to return, where a reader can go forward and back. */
export interface TwoWayPageRequest {
  /** 1..100 items. */
  readonly limit: number;
  /**
   * The opaque `next` or `prev` of an earlier page. It holds the place and the direction. Refused
   * (`invalid_query`, path `page`) if it is not one of this list. Absent: the first page.
   */
  readonly cursor?: string;
}

/**
 * One page of a list, in the list's order. `next` is the cursor of the page after it, null on the
 * last page. `prev` is the cursor of the page before it, null on the first page.
 */
export interface TwoWayPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly prev: string | null;
}
