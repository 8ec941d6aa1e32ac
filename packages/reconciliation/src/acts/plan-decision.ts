import { type Act, type AuthorizationPair, pairsBetween } from '../act.ts';
import { fingerprintOf, type Item } from '../item.ts';
import { isProposal } from '../items/break-kind.ts';
import { pairsToConfirm } from '../pairing/distant-pairs.ts';
import type { ClearedAmount } from '../records.ts';
import { type ActPlan, type Rematch, type Situation, subjectOf } from './act-plan.ts';
import { conflict, stateOf } from './refuse-act.ts';
import { differsFromStatement, standingActs, standingDecisions } from './standing-acts.ts';

/**
 * Plans to ignore an item, or to accept its break. Where a person kept the rule `tolerance` from
 * accepting it, to accept it takes that back first.
 */
export function planDecision({ item, history, request, is_against_rules }: Situation): ActPlan {
  const subject = subjectOf(item);
  const is_untolerated = standingActs(history).untolerated.has(subject.fingerprint);
  if (request.action !== 'accept' || !is_untolerated || is_against_rules) return { subject, rematches: [] };
  const isMet = (after: readonly Item[]) => after.some(({ id, status }) => id === item.id && status === 'accepted');
  return { subject: { ...subject, rule: 'tolerance' }, rematches: [], isMet };
}

/**
 * Plans to confirm the proposals of an item: its matches with authorizations become matches that a
 * person made, and the pairs of its covering set or distant line are kept, so that no later
 * record takes them apart. What stands alone has no match to keep: the decision is all. A line that
 * differs from its statement is kept, and counts again.
 */
export function planConfirmation({ item, clearings }: Situation): ActPlan {
  if (differsFromStatement(item)) {
    return { subject: subjectOf(item, { kept_line_id: item.line_ids[0]! }), rematches: [] };
  }
  const proposed = clearings.filter(isConfirmable).sort((a, b) => a.id - b.id);
  const sets = item.matches.filter(({ rule }) => rule === 'covering_set').flatMap(pairsBetween);
  const pairs = [...sets, ...pairsToConfirm(item.matches)];
  const confirmed = proposed.map(({ id, authorization_id }) => ({
    clearing_id: id,
    authorization_id: authorization_id!,
  }));
  return {
    subject: subjectOf(item, { pairs, confirmed, authorization: confirmed[0] ?? null, rule: item.rule }),
    rematches: proposed.map(confirming),
  };
}

/** Whether the network can keep the match: that of a first presentment with an authorization. */
function isConfirmable(clearing: ClearedAmount): boolean {
  return isProposal(clearing) && clearing.authorization_id !== null && clearing.cycle === 'first_presentment';
}

/**
 * Plans to undo the newest decision that stands for an item: about the item as it is, else a
 * confirmation whose matches, or whose kept line, it still has. What the rule `tolerance` accepts, it
 * does not accept any more. Refuses (`conflict`) when there is none.
 */
export function planReopening(situation: Situation): ActPlan {
  const { item } = situation;
  if (item.status === 'accepted' && item.rule === 'tolerance') {
    return { subject: subjectOf(item, { rule: 'tolerance' }), rematches: [] };
  }
  const decision = decisionToUndo(situation);
  if (decision === null) {
    const how = item.status === 'accepted' ? '. A match accepted its difference: unmatch it' : '';
    throw conflict(`item ${item.id} is ${stateOf(item)}: it has no ignore, accept or confirm to undo${how}`);
  }
  return reopeningOf(decision, situation);
}

/** The plan that undoes a decision that stands; a confirmation with the matches that it still has. */
export function reopeningOf({ subject }: Act, { item, clearings }: Pick<Situation, 'item' | 'clearings'>): ActPlan {
  const { fingerprint, pairs, authorization, confirmed, kept_line_id } = subject;
  return {
    // The same fingerprint: that is how a decision is undone.
    subject: subjectOf(item, { fingerprint, pairs, authorization, kept_line_id }),
    rematches: clearings
      .filter((clearing) => confirmed.some((pair) => isKept(clearing, pair)))
      .map((clearing): Rematch => ({ clearing, authorization_id: null, is_confirmation: true }))
      .sort((a, b) => a.clearing.id - b.clearing.id),
  };
}

/** The plan that makes a decision again that was reopened. */
export function repetitionOf({ subject }: Act, { clearings }: Pick<Situation, 'clearings'>): ActPlan {
  const isOf = (clearing: ClearedAmount) => (pair: AuthorizationPair) =>
    !clearing.is_chosen && clearing.id === pair.clearing_id && clearing.authorization_id === pair.authorization_id;
  const again = clearings.filter((clearing) => subject.confirmed.some(isOf(clearing)));
  return { subject, rematches: again.map(confirming).sort((a, b) => a.clearing.id - b.clearing.id) };
}

function confirming(clearing: ClearedAmount): Rematch {
  return { clearing, authorization_id: clearing.authorization_id, is_confirmation: true };
}

function decisionToUndo({ item, history, clearings, known }: Situation): Act | null {
  const standing = standingDecisions(history);
  const kept = new Set(item.line_ids.filter((id) => known.lines.get(id)?.standing === 'kept'));
  const fingerprint = fingerprintOf(item);
  return (
    standing.findLast(({ subject }) => subject.fingerprint === fingerprint) ??
    standing.findLast(({ subject }) =>
      subject.confirmed.some((pair) => clearings.some((clearing) => isKept(clearing, pair))),
    ) ??
    standing.findLast(({ subject }) => kept.has(subject.kept_line_id ?? 0)) ??
    null
  );
}

/** Whether a clearing still has the match that a person confirmed. */
function isKept({ id, is_chosen, authorization_id }: ClearedAmount, pair: AuthorizationPair): boolean {
  return is_chosen && id === pair.clearing_id && authorization_id === pair.authorization_id;
}
