import {
  answers,
  firstReason,
  type Outcome,
  type Question,
  type Reason,
  reasons,
} from '../deciding/decline-reasons.ts';
import { inWords, limitsOf, shownLimits, shownValues, valuesOf } from '../deciding/explain-decision.ts';
import { amountLeft } from '../issuing/balance.ts';
import { type DeclineCode, isRefund } from '../records/authorization.ts';
import type { Fact } from '../records/decision-facts.ts';

/**
 * What a reason did in a decision. The first `failed` one is the answer, and those after it are
 * `not_reached`. `not_applied`: it does not concern the message. `unknown`: what it compares was not
 * sent, or is no longer known.
 */
export const row_results = ['passed', 'failed', 'not_reached', 'not_applied', 'unknown'] as const;

export type RowResult = (typeof row_results)[number];

/** A reason to decline in the table of a decision. */
export interface DecisionRow {
  readonly code: DeclineCode;
  readonly vcn_response: string;
  readonly response_code: string;
  /** When the reason applies, in words. */
  readonly reason: string;
  readonly result: RowResult;
  /** Whether it would decline the message even if no other reason applied. Null: not known. */
  readonly would_decline: boolean | null;
  /** What the message was compared with. */
  readonly limits: readonly Fact[];
  /** What was compared with the limits. */
  readonly values: readonly Fact[];
}

/** The result of a reason that does not follow from the question; null: it follows from it. */
export type GivenResult = (reason: Reason) => Exclude<RowResult, 'not_reached'> | null;

/** Every reason in its order. `given`: the results that do not follow from the question. */
export function decisionTable(question: Question, given: GivenResult): readonly DecisionRow[] {
  let is_reached = true;
  return reasons.map((reason) => {
    const fixed = given(reason);
    const would_decline = fixed === null ? reason.applies(question) : null;
    const own = fixed ?? (would_decline ? 'failed' : 'passed');
    const result = is_reached || own === 'not_applied' ? own : 'not_reached';
    if (result === 'failed') is_reached = false;
    const compared = fixed === null ? limitsOf(reason, question) : {};
    return {
      code: reason.code,
      ...named(reason),
      result,
      would_decline: fixed === 'failed' ? true : would_decline,
      limits: shownLimits(compared),
      values: fixed === null ? shownValues(reason, valuesOf(question), compared) : [],
    };
  });
}

/** The row of an original that came after its reversal: no reason is reached. */
export function lateRow(): DecisionRow {
  return { code: 'U', ...named(answers.U), result: 'failed', would_decline: true, limits: [], values: [] };
}

/**
 * The largest amount of the same message that no reason would decline, in minor units of the limit
 * currency. Null: no amount, or a refund, which meets no limit.
 */
export function largestAmount(question: Question): number | null {
  const { card, message, increment_of, held, cleared } = question;
  if (card === null || isRefund(message.card_holder_transaction_type_code)) return null;
  const of_transaction = card.per_transaction_max - (increment_of?.authorized ?? 0);
  const amount = Math.min(of_transaction, amountLeft(card.total_card_amount, { held, cleared }));
  return amount > 0 && firstReason({ ...question, amount }) === null ? amount : null;
}

/** The first reason that fails; V: none. */
export function firstFailed(table: readonly DecisionRow[]): Outcome['code'] {
  return table.find(({ result }) => result === 'failed')?.code ?? 'V';
}

function named(outcome: Outcome) {
  const { vcn_response, response_code } = outcome;
  return { vcn_response, response_code, reason: inWords(outcome) };
}
