import { Refusal } from '@tallystick/kernel';
import type { Authorization } from '../records/authorization.ts';
import type { Clearing, Records } from '../records/clearing.ts';
import type { MatchByHand } from '../records/match-by-hand.ts';
import { chooseAlso, type MatchChoices, withoutNewest } from '../records/match-choice.ts';
import { settleInOrder } from '../settling/settle.ts';
import { hasAllClearings, isSettleable, settleAgain, stateOf } from '../working/settle-again.ts';
import type { WorkingCard } from '../working/working-card.ts';

/** A match that a person asks for, with the records that it names as they are. */
export interface AskedMatch {
  readonly match: MatchByHand;
  readonly clearing: Clearing;
  /** Null when the person names no authorization. */
  readonly chosen: Authorization | null;
}

export interface SettledChoices {
  /** The clearings as they were, and their authorizations. */
  readonly concerned: Records;
  /** All of them as they were, to be put back. */
  readonly before: Records;
}

/**
 * Adds what a person chose to clearings of one card, and settles once all clearings that this
 * concerns. Refuses (`conflict`), and changes nothing, when these are too many or a sum would be
 * too large, and when a confirmation is taken back of what no rule would match any more.
 */
export function settleChoices(working: WorkingCard, asked: readonly AskedMatch[]): SettledChoices | Refusal {
  const extent = extentOf(working, asked);
  if (extent === null) return tooMany(asked);
  const chosen = choicesAfter(working, extent, asked);
  if (chosen instanceof Refusal) return chosen;
  const { concerned, isKept } = extent;
  const before = stateOf(working, concerned);
  for (const clearing of chosen) working.putClearing(clearing);
  if (settleAgain(working, concerned, { previous: concerned.clearings, isKept })) return { concerned, before };
  for (const { clearing } of asked) working.putClearing(clearing);
  return tooMany(asked);
}

/** The records that are settled with the clearings, and those of them that stay as they are. */
interface Extent {
  readonly concerned: Records;
  readonly isKept?: ((clearing: Clearing) => boolean) | undefined;
}

/**
 * All records whose matches may depend on those of the clearings. When there are too many (ADR
 * 0033), only their authorizations before and after, and the clearings of these, which stay as they
 * are unless they refer to one of the clearings. Null: there are too many of these, too.
 */
function extentOf(working: WorkingCard, asked: readonly AskedMatch[]): Extent | null {
  const named = {
    roots: asked.flatMap(({ chosen }) => chosen ?? []),
    clearings: asked.map(({ clearing }) => clearing),
  };
  const concerned = working.aroundChoices(named);
  if (isSettleable(working, concerned)) return { concerned };
  const root_ids = new Set([
    ...named.roots.map(({ id }) => id),
    ...named.clearings.flatMap(({ authorization_id }) => authorization_id ?? []),
  ]);
  const moving = followersOf(named.clearings, concerned.clearings);
  const isOfThese = ({ authorization_id }: Clearing) => authorization_id !== null && root_ids.has(authorization_id);
  const alone = {
    roots: concerned.roots.filter(({ id }) => root_ids.has(id)),
    clearings: concerned.clearings.filter((other) => moving.has(other.id) || isOfThese(other)),
  };
  const is_whole =
    alone.clearings.every((other) => other.authorization_id === null || isOfThese(other)) &&
    hasAllClearings(working, alone);
  return is_whole ? { concerned: alone, isKept: ({ id }) => !moving.has(id) } : null;
}

/** The ids of clearings, of those that refer to them, and of those that refer to these. */
function followersOf(named: readonly Clearing[], clearings: readonly Clearing[]): ReadonlySet<number> {
  const ids = new Set(named.map(({ id }) => id));
  for (let known = 0; known < ids.size; ) {
    known = ids.size;
    for (const { id: other, clearing_id } of clearings)
      if (clearing_id !== null && ids.has(clearing_id)) ids.add(other);
  }
  return ids;
}

function tooMany(asked: readonly AskedMatch[]): Refusal {
  const { card_id } = asked[0]!.clearing;
  const named = asked.map(({ clearing }) => clearing.id).join(', ');
  const what = `${asked.length === 1 ? 'clearing' : 'clearings'} ${named} cannot be matched by hand`;
  const why = `so many clearings of virtual card ${card_id} belong to its authorizations that they cannot be settled`;
  return new Refusal('conflict', `${what}: ${why}, or a sum would be too large`);
}

/**
 * The clearings with the choices about them after the request. Refuses to take back a confirmation
 * of what the rules would not match any more: that would be another match, not the same one without
 * it.
 */
function choicesAfter(
  working: WorkingCard,
  extent: Extent,
  asked: readonly AskedMatch[],
): readonly Clearing[] | Refusal {
  const next = new Map<number, Clearing>();
  for (const { match, clearing } of asked) {
    const under = (choices: MatchChoices) => {
      const matches = matchesUnder(working, extent, new Map(next).set(clearing.id, { ...clearing, choices }));
      return matches.get(clearing.id) ?? null;
    };
    next.set(clearing.id, { ...clearing, choices: chosenBy(match, clearing, under) });
  }
  const unconfirmed = asked.filter(({ match }) => match.is_confirmation && match.authorization_id === null);
  if (unconfirmed.length > 0) {
    const matches = matchesUnder(working, extent, next);
    for (const { clearing } of unconfirmed) {
      if (matches.get(clearing.id) === clearing.authorization_id) continue;
      const rules = `no rule would match clearing ${clearing.id} to authorization ${clearing.authorization_id}`;
      return new Refusal('conflict', `${rules}: take the clearing from the authorization instead`);
    }
  }
  return [...next.values()];
}

function chosenBy(
  { authorization_id, is_confirmation }: MatchByHand,
  { choices, authorization_id: present_id }: Clearing,
  matchUnder: (choices: MatchChoices) => number | null,
): MatchChoices {
  if (!is_confirmation) {
    const choice = { authorization_id: authorization_id ?? present_id!, is_match: authorization_id !== null };
    return chooseAlso(choices, choice, matchUnder);
  }
  if (authorization_id === null) return withoutNewest(choices);
  return [...(choices ?? []), { authorization_id, is_match: true }];
}

/**
 * The authorizations that the clearings would have, by their ids, if these records were settled
 * with some clearings in these states.
 */
function matchesUnder(
  working: WorkingCard,
  { concerned, isKept }: Extent,
  states: ReadonlyMap<number, Clearing>,
): ReadonlyMap<number, number | null> {
  const clearings = concerned.clearings.map((other) => states.get(other.id) ?? other);
  const settled = settleInOrder(working.card, { ...concerned, clearings }, working.now_ms, isKept);
  return new Map(settled.clearings.map(({ id, authorization_id }) => [id, authorization_id]));
}
