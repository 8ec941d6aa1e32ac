import { invalid, Refusal } from '@tallystick/kernel';
import { isClearable } from '../matching/match-authorization.ts';
import { type Authorization, isStandingRoot } from '../records/authorization.ts';
import { type Clearing, matchMakerOf } from '../records/clearing.ts';
import type { MatchByHand } from '../records/match-by-hand.ts';
import { chosenOf } from '../records/match-choice.ts';

/**
 * Why a clearing of the card cannot be matched by hand as a person asks; null: it can. `chosen`
 * is the authorization of the card that the person names; null when it names none, or the card has
 * none with this id.
 */
export function refuseRematch(match: MatchByHand, clearing: Clearing, chosen: Authorization | null): Refusal | null {
  const { authorization_id, expected_authorization_id, expected_matched_by, is_confirmation } = match;
  if (clearing.authorization_id !== expected_authorization_id || matchMakerOf(clearing) !== expected_matched_by) {
    return conflict(`${presentMatch(clearing)} by now. When it was looked at, ${expectedMatch(match)}`);
  }
  const of_cycle = refuseCycle(clearing);
  if (of_cycle !== null) return of_cycle;
  if (is_confirmation) return refuseConfirmation(match, clearing);
  if (authorization_id !== null) return refuseMatch(match, clearing, chosen);
  return clearing.authorization_id === null ? conflict(presentMatch(clearing)) : null;
}

/** Why nobody can match a clearing with any authorization; null: somebody can. */
export function refuseCycle({ id, cycle }: Pick<Clearing, 'id' | 'cycle'>): Refusal | null {
  if (cycle === 'first_presentment') return null;
  const what = cycle.replace('_', ' ');
  return conflict(`clearing ${id} is a ${what}: it belongs to what the clearing belongs to that it refers to`);
}

/**
 * A confirmation keeps the match that a rule made. Taking it back leaves the match to the rules.
 */
function refuseConfirmation({ authorization_id }: MatchByHand, clearing: Clearing): Refusal | null {
  const chosen_id = chosenOf(clearing.choices);
  if (authorization_id === null) {
    return chosen_id === null ? conflict(`${presentMatch(clearing)}: there is no confirmation to take back`) : null;
  }
  if (clearing.authorization_id !== authorization_id) {
    return conflict(`${presentMatch(clearing)}: only that match can be confirmed`);
  }
  return chosen_id === null ? null : conflict(`${presentMatch(clearing)} already`);
}

function refuseMatch(
  { authorization_id, vcn_id }: MatchByHand,
  clearing: Clearing,
  chosen: Authorization | null,
): Refusal | null {
  if (clearing.authorization_id === authorization_id) return conflict(`${presentMatch(clearing)} already`);
  if (chosenOf(clearing.choices) !== null) {
    return conflict(`${presentMatch(clearing)}: take it from that authorization first`);
  }
  const field = (rule: string) => invalid({ path: 'authorization_id', message: rule });
  if (chosen === null) return field(`must be an authorization of virtual card ${vcn_id}, as the clearing is`);
  const { id, root_id, status } = chosen;
  if (root_id === null) return field(`must be an authorization, and ${id} is a reversal that came before its original`);
  if (root_id !== id) return field(`must be ${root_id}, the authorization that message ${id} changed`);
  if (!isStandingRoot(chosen)) return conflict(`authorization ${id} is ${status}: nothing can belong to it`);
  if (!isClearable(clearing, chosen)) {
    return conflict(
      `authorization ${id} is of a refund, and clearing ${clearing.id} is a debit: only a credit can belong to it`,
    );
  }
  return null;
}

function conflict(reason: string): Refusal {
  return new Refusal('conflict', reason);
}

function presentMatch(clearing: Clearing): string {
  const { id, authorization_id, match_rule } = clearing;
  if (authorization_id === null) return `clearing ${id} belongs to no authorization`;
  const maker = matchMakerOf(clearing) === 'person' ? 'a person' : `rule ${match_rule}`;
  return `clearing ${id} was matched to authorization ${authorization_id} by ${maker}`;
}

function expectedMatch({ expected_authorization_id: id, expected_matched_by: maker }: MatchByHand): string {
  return id === null ? 'it belonged to none' : `a ${maker} had matched it to authorization ${id}`;
}
