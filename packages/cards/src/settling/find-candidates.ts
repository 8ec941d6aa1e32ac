import { type CandidateRule, ruleFor } from '../matching/match-authorization.ts';
import type { MatchCard } from '../matching/match-case.ts';
import { evidenceOf, type MatchEvidence } from '../matching/match-evidence.ts';
import type { Authorization } from '../records/authorization.ts';
import { asSent, type Clearing } from '../records/clearing.ts';
import { barredOf } from '../records/match-choice.ts';
import { inCanonicalOrder } from './canonical-order.ts';
import { rootsAfter } from './settle.ts';

/** A recorded clearing, and what rules 3 to 6 find its authorization among. */
export interface CandidateRecords {
  readonly clearing: Clearing;
  readonly card: MatchCard;
  /** Of the card; records that cannot match may be among them. */
  readonly roots: readonly Authorization[];
  /** The clearings that belong to these roots. */
  readonly clearings: readonly Clearing[];
}

/** An authorization that a clearing may belong to, and the first rule that finds it. */
export interface MatchCandidate {
  readonly rule: CandidateRule;
  readonly authorization_id: number;
  readonly evidence: MatchEvidence;
}

/**
 * All authorizations that rules 3 to 6 find for a recorded clearing, as the clearings that come
 * before it in the canonical order left them, and none that a person took it from. The first rule
 * first, and of one rule the oldest first.
 */
export function findCandidates(
  { clearing, card, roots, clearings }: CandidateRecords,
  now_ms: number,
): readonly MatchCandidate[] {
  const in_order = inCanonicalOrder([...clearings.filter(({ id }) => id !== clearing.id), clearing]);
  const earlier = in_order.slice(0, in_order.indexOf(clearing));
  const message = asSent(clearing);
  const authorizations = rootsAfter({ roots, clearings: earlier }, now_ms).toSorted(
    (a, b) => a.transaction_date_time_ms - b.transaction_date_time_ms || a.id - b.id,
  );
  const input = { message, card, barred: barredOf(clearing.choices) };
  return authorizations
    .flatMap((root) => {
      const rule = ruleFor(input, root);
      return rule === null ? [] : [{ rule, authorization_id: root.id, evidence: evidenceOf(message, root) }];
    })
    .sort((a, b) => a.rule - b.rule);
}
