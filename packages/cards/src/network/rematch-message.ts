import type { MatchMaker } from './clearing.ts';
import type { NewReconciliationAct, SeenActs } from './reconciliation-act.ts';

/**
 * A request to match a clearing by hand, or to take such a match back (decision: reconciliation).
 *
 * | `authorization_id` | `is_confirmation` | The person |
 * |---|---|---|
 * | an id | false | matches the clearing to this authorization |
 * | null | false | takes the clearing from the authorization that it belongs to |
 * | an id | true | confirms the match with this authorization, which a rule made |
 * | null | true | takes the confirmation back: the match is again that of the rule |
 */
export interface RematchMessage {
  readonly kind: 'rematch';
  /** The card is named by its id. */
  readonly number_index: null;
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
  /** The company of the caller; null for an operator. */
  readonly company_id: number | null;
  /** Why, in the words of the caller, without card numbers. */
  readonly note: string;
  readonly reason: string | null;
  /** The caller, see `Call`. */
  readonly actor: string;
  /** What reconciliation records of the request, in the transaction of the match; or null. */
  readonly act: NewReconciliationAct | null;
  /**
   * What reconciliation had recorded when the person looked. When there is more by now, the request
   * is refused (`conflict`). Absent: that is not compared.
   */
  readonly seen_acts?: SeenActs | undefined;
  readonly request_id: string | null;
}
