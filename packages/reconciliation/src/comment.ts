/** What a person says about an item. It decides nothing. */
export interface Comment {
  readonly id: number;
  readonly company_id: number;
  readonly at_ms: number;
  readonly actor: string;
  /** The item at that time. The comment stays with the record that gave the item its id. */
  readonly item_id: number;
  readonly text: string;
}

/** The most characters (code points) of a comment. */
export const comment_length_max = 2_000;
