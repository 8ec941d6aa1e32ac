import { assert } from '@tallystick/kernel';
import type { MatchMaker } from './clearing.ts';
import type { PersonMessage } from './release-message.ts';

/**
 * What a person decides about the match of one clearing (decision: reconciliation).
 *
 * | `authorization_id` | `is_confirmation` | The person |
 * |---|---|---|
 * | an id | false | matches the clearing to this authorization |
 * | null | false | takes the clearing from the authorization that it belongs to |
 * | an id | true | confirms the match with this authorization, which a rule made |
 * | null | true | takes the confirmation back: the match is again that of the rule |
 */
export interface MatchByHand {
  readonly vcn_id: number;
  readonly clearing_id: number;
  readonly authorization_id: number | null;
  readonly is_confirmation: boolean;
  /**
   * The authorization that the clearing belonged to when the person looked at it, or null. When it
   * belongs to another one by now, the request is refused (`conflict`).
   */
  readonly expected_authorization_id: number | null;
  /** The `matched_by` of the clearing at that time. Another one is refused, too. */
  readonly expected_matched_by: MatchMaker;
}

/** A request to match clearings by hand, or to take such matches back: all of them, or none. */
export interface RematchMessage extends PersonMessage {
  readonly kind: 'rematch';
  /** At least one, each of another clearing. The clearings may be of several cards. */
  readonly matches: readonly MatchByHand[];
  readonly note: string;
  readonly reason: string | null;
  /** What reconciliation records of the request, in the transaction of the matches; or null. */
  readonly act: NewReconciliationAct | null;
  /**
   * What reconciliation had recorded when the person looked. When there is more by now, the request
   * is refused (`conflict`). Absent: that is not compared.
   */
  readonly seen_acts?: SeenActs | undefined;
}

/** A match by hand as a ledger looks up its records. */
export interface RematchLookup extends Pick<MatchByHand, 'vcn_id' | 'clearing_id' | 'authorization_id'> {
  readonly kind: 'rematch';
  readonly number_index: null;
  /** Only of the first match of a message. */
  readonly seen_acts?: SeenActs | undefined;
}

/** The lookups of a message: one for each match, in their order. */
export function rematchLookups({ matches, seen_acts }: RematchMessage): readonly RematchLookup[] {
  const ids = new Set(matches.map(({ clearing_id }) => clearing_id));
  assert(matches.length > 0 && ids.size === matches.length, 'a match by hand names clearings, each of them once');
  return matches.map(({ vcn_id, clearing_id, authorization_id }, at) => ({
    kind: 'rematch',
    number_index: null,
    vcn_id,
    clearing_id,
    authorization_id,
    seen_acts: at === 0 ? seen_acts : undefined,
  }));
}

/**
 * A row of what people did in reconciliation. It commits with the effects on the card, and means
 * nothing to this package (decision: reconciliation).
 */
export interface ReconciliationActRow {
  readonly company_id: number;
  readonly at_ms: number;
  readonly actor: string;
  readonly action: string;
  /** The id of the item at that time. */
  readonly item_id: number;
  /** JSON text. */
  readonly subject: string;
  readonly note: string;
  readonly reason: string | null;
  readonly request_id: string | null;
}

/** An act that is not recorded yet: the pass adds its time. */
export type NewReconciliationAct = Omit<ReconciliationActRow, 'at_ms'>;

/** The items, and the acts about their records, that a person has seen. */
export interface SeenActs {
  readonly company_id: number;
  /** The items. The request is also refused when one is gone, or a closed period has it. */
  readonly item_ids: readonly number[];
  /** The records, as reconciliation numbers them. */
  readonly records: readonly number[];
  /** The id of the newest act about one of them; 0 when there was none. */
  readonly newest_id: number;
  /**
   * The approval of the request; null: it needed none. The request is also refused while another one
   * about one of the records is open.
   */
  readonly approval_id: number | null;
}
