import type { Item } from '../item.ts';

/** An item before and after a change; null where there is none. */
export interface ItemChange {
  readonly before: Item | null;
  readonly after: Item | null;
}
