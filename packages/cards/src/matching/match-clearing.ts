import type { Authorization } from '../records/authorization.ts';
import { type Clearing, isDispute } from '../records/clearing.ts';
import { findAuthorization } from './match-authorization.ts';
import type { MatchCase } from './match-case.ts';
import { findDisputable, findRefundable, findReversible } from './match-earlier-clearing.ts';
import type { MatchRule } from './match-rules.ts';

/** The record that a clearing belongs to, the rule that found it, and whether it needs review. */
export interface Match {
  readonly rule: MatchRule;
  readonly authorization: Authorization | null;
  /** The earlier clearing that it reverses, disputes or refunds. */
  readonly clearing: Clearing | null;
  /**
   * Needs review by a person: rule 6, several candidates at any rule, another merchant currency at
   * rule 3, a reversal or dispute whose clearing was not found, or a reversal of such a dispute.
   */
  readonly review: boolean;
}

/**
 * Finds the record that a clearing belongs to. The rules are tried in order, and the first with
 * exactly one candidate wins. A rule with several candidates leaves the choice to later rules and
 * marks the clearing for review. Only rule 3 chooses among several, because the network made their
 * references.
 */
export function matchClearing(input: MatchCase): Match {
  const { cycle, clearing_type } = input.message;
  if (cycle !== 'first_presentment') {
    const match = matchReferring(input);
    if (match !== null) return match;
  }
  const { by, review: is_doubtful } = findAuthorization(input);
  // A reversal without its clearing is treated by its type.
  const review = is_doubtful || cycle === 'reversal';
  if (by !== null) return { ...by, clearing: null, review };
  return clearing_type === 'DEBIT'
    ? { rule: 8, authorization: null, clearing: null, review }
    : matchRefund(input, review);
}

/** Rules 1 and 2, of a reversal or a dispute. Null: the clearing of a reversal is not known. */
function matchReferring(input: MatchCase): Match | null {
  const is_reversal = input.message.cycle === 'reversal';
  const [only, ...others] = is_reversal ? findReversible(input) : findDisputable(input);
  if (only !== undefined && others.length === 0) {
    // The clearing that the dispute waits for may be another one that the reversal fits: not final.
    if (isDispute(only) && only.match_rule !== 2) {
      return { rule: 8, authorization: null, clearing: only, review: true };
    }
    return { rule: is_reversal ? 1 : 2, authorization: rootOf(input, only), clearing: only, review: false };
  }
  // A dispute without its clearing matches nothing.
  return is_reversal ? null : { rule: 8, authorization: null, clearing: null, review: true };
}

/** Rule 7, of a credit. */
function matchRefund(input: MatchCase, review: boolean): Match {
  const [only, ...others] = findRefundable(input);
  if (only === undefined || others.length > 0) {
    return { rule: 7, authorization: null, clearing: null, review: review || others.length > 0 };
  }
  return { rule: 7, authorization: rootOf(input, only), clearing: only, review };
}

function rootOf({ authorizations }: MatchCase, clearing: Clearing): Authorization | null {
  return authorizations.get(clearing.authorization_id);
}
