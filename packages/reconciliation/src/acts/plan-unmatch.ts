import { type Act, pairKeyOf, pairsBetween, type StatementPair } from '../act.ts';
import type { Item, ItemMatch } from '../item.ts';
import type { ClearedAmount } from '../records.ts';
import { type ActPlan, type Situation, subjectOf } from './act-plan.ts';
import type { MatchSide } from './act-request.ts';
import { statementPairsOf } from './plan-statement-match.ts';
import { conflict, stateOf } from './refuse-act.ts';
import { canUndo } from './standing-acts.ts';

/**
 * Plans to take a match of an item apart: that of the named side which was made last, else the
 * match that was made last. Made last is what a person made last; of what rules made, the statement
 * side, and on each side the newest line or clearing. Of the statement side, all pairs of the line
 * go, and a covering set as a whole. Refuses (`conflict`) when there is none.
 */
export function planUnmatch(situation: Situation): ActPlan {
  const { item, history, clearings, request } = situation;
  const undoable = item.matches.filter((match) => canUndo(match) && isFirstPresentment(match, clearings));
  const made_by_hand = history.findLast(
    (act) => isStanding(act, undoable, clearings, request.side) && !isUndone(act, history),
  );
  const side = made_by_hand === undefined ? (request.side ?? lastSideOf(undoable)) : sideOf(made_by_hand);
  const of_side = undoable.filter((match) => match.side === side);
  if (of_side.length === 0) throw conflict(nothingToUndo(item, request.side));
  return side === 'authorization'
    ? takeFromAuthorization(item, made_by_hand, of_side, clearings)
    : takeFromStatement(situation, made_by_hand, of_side);
}

function sideOf({ subject }: Act): MatchSide {
  return subject.authorization === null ? 'statement' : 'authorization';
}

function lastSideOf(matches: readonly ItemMatch[]): MatchSide {
  return matches.some(({ side }) => side === 'statement') ? 'statement' : 'authorization';
}

/** Reversals and disputes belong to what the clearing belongs to that they refer to. */
function isFirstPresentment({ side, clearing_ids }: ItemMatch, clearings: readonly ClearedAmount[]): boolean {
  return (
    side === 'statement' ||
    clearings.some(({ id, cycle }) => clearing_ids.includes(id) && cycle === 'first_presentment')
  );
}

/** Whether an act made a match that the item still has. */
function isStanding(
  { action, subject }: Act,
  undoable: readonly ItemMatch[],
  clearings: readonly ClearedAmount[],
  side: MatchSide | null,
): boolean {
  if (action !== 'match') return false;
  const { authorization, pairs } = subject;
  if (authorization !== null) {
    return (
      side !== 'statement' &&
      clearings.some(
        ({ id, is_chosen, authorization_id }) =>
          is_chosen && id === authorization.clearing_id && authorization_id === authorization.authorization_id,
      )
    );
  }
  return side !== 'authorization' && pairs.some((pair) => undoable.some((match) => hasPair(match, pair)));
}

function hasPair({ side, line_ids, clearing_ids }: ItemMatch, pair: StatementPair): boolean {
  return side === 'statement' && line_ids.includes(pair.line_id) && clearing_ids.includes(pair.clearing_id);
}

/** Whether a later act took apart what an act matched. */
function isUndone({ id, subject }: Act, history: readonly Act[]): boolean {
  return history.some(
    (later) =>
      later.id > id &&
      later.action === 'unmatch' &&
      later.subject.pairs.some((pair) => subject.pairs.some((own) => pairKeyOf(own) === pairKeyOf(pair))),
  );
}

function nothingToUndo(item: Item, side: MatchSide | null): string {
  const of_side = side === null ? '' : ` of the ${side} side`;
  const why = 'matches of reversals and disputes, and those of rules 1 and 2, are final';
  return `item ${item.id} is ${stateOf(item)}, and has no match${of_side} that can be undone (${why})`;
}

function takeFromAuthorization(
  item: Item,
  made_by_hand: Act | undefined,
  matches: readonly ItemMatch[],
  clearings: readonly ClearedAmount[],
): ActPlan {
  const newest = Math.max(...matches.flatMap(({ clearing_ids }) => clearing_ids));
  const clearing_id = made_by_hand?.subject.authorization?.clearing_id ?? newest;
  const clearing = clearings.find(({ id }) => id === clearing_id)!;
  const match = matches.find(({ clearing_ids }) => clearing_ids.includes(clearing_id));
  const authorization = { clearing_id, authorization_id: clearing.authorization_id! };
  return {
    subject: subjectOf(item, { authorization, rule: match?.rule ?? null }),
    rematches: [{ clearing, authorization_id: null, is_confirmation: false }],
  };
}

function takeFromStatement(
  { item, is_against_rules }: Situation,
  made_by_hand: Act | undefined,
  matches: readonly ItemMatch[],
): ActPlan {
  const newest = Math.max(...matches.flatMap(({ line_ids }) => line_ids));
  const unit = matches.filter((match) =>
    made_by_hand === undefined
      ? match.line_ids.includes(newest)
      : made_by_hand.subject.pairs.some((pair) => hasPair(match, pair)),
  );
  // The pairs of a match by hand as it named them: its inverse.
  const pairs = made_by_hand?.subject.pairs ?? unit.flatMap(pairsBetween);
  const isMet = (after: readonly Item[]) => {
    const made = new Set(after.flatMap((one) => statementPairsOf(one, { with_fees: true })).map(pairKeyOf));
    return !pairs.every((pair) => made.has(pairKeyOf(pair)));
  };
  // A pin is taken back first. When the rules make all of it by themselves, they are barred from
  // it.
  const named = is_against_rules ? [...pairs, ...pairs] : pairs;
  return { subject: subjectOf(item, { pairs: named, rule: unit[0]?.rule ?? null }), rematches: [], isMet };
}
