import fc from 'fast-check';
import {
  type Clearing,
  type MatchByHand,
  matchMakerOf,
  type RematchAnswer,
  type RematchMessage,
} from '../../src/index.ts';
import type { NetworkWorld } from '../network-world.ts';

/** What a person decides about clearing 1 of card 1. */
export function matchByHand(change: Partial<MatchByHand> = {}): MatchByHand {
  return {
    vcn_id: 1,
    clearing_id: 1,
    authorization_id: 1,
    is_confirmation: false,
    expected_authorization_id: null,
    expected_matched_by: 'rule',
    ...change,
  };
}

/** The request about these matches, by the company of card 1. */
export function rematchMessage(
  matches: readonly MatchByHand[],
  change: Partial<Omit<RematchMessage, 'matches'>> = {},
): RematchMessage {
  return {
    kind: 'rematch',
    number_index: null,
    matches,
    company_id: 7,
    note: 'the receipt says so',
    reason: null,
    actor: 'key:9',
    act: null,
    request_id: 'r-1',
    ...change,
  };
}

export const by_hand_kinds = ['match', 'match', 'unmatch', 'unmatch', 'confirm', 'unconfirm'] as const;

/** A request about one of the clearings that are there, and one of the authorizations. */
export interface PlannedAct {
  readonly kind: (typeof by_hand_kinds)[number];
  readonly clearing: number;
  readonly root: number;
}

export const planned_acts: fc.Arbitrary<PlannedAct> = fc.record({
  kind: fc.constantFrom(...by_hand_kinds),
  clearing: fc.nat({ max: 20 }),
  root: fc.nat({ max: 8 }),
});

/** The match in this world; null when it has no clearing or no authorization to choose. */
export function matchIn(world: NetworkWorld, { kind, clearing: drawn, root: chosen }: PlannedAct): MatchByHand | null {
  const clearings = world.state.clearings.values();
  const roots = world.state.authorizations.values().filter(({ id, root_id }) => id === root_id);
  const clearing = clearings[drawn % clearings.length];
  const root = roots[chosen % roots.length];
  if (clearing === undefined || root === undefined) return null;
  const { id: clearing_id, authorization_id: present_id } = clearing;
  const is_confirmation = kind === 'confirm' || kind === 'unconfirm';
  const authorization_id = kind === 'match' ? root.id : kind === 'confirm' ? present_id : null;
  return matchByHand({ clearing_id, authorization_id, is_confirmation, ...seenIn(clearing) });
}

/** What a person sees of the match of a clearing. */
export function seenIn(clearing: Clearing): Pick<MatchByHand, 'expected_authorization_id' | 'expected_matched_by'> {
  return { expected_authorization_id: clearing.authorization_id, expected_matched_by: matchMakerOf(clearing) };
}

/** The match that undoes another one, given the clearing before it and after it. */
export function undoing(match: MatchByHand, was: Clearing, is: Clearing): MatchByHand {
  const authorization_id = match.authorization_id === null ? was.authorization_id : null;
  return { ...match, authorization_id, ...seenIn(is) };
}

export function sendAct(world: NetworkWorld, message: RematchMessage): RematchAnswer {
  return world.send(message)[0] as RematchAnswer;
}

/**
 * Every row of the world that a match by hand may change. Without `hold_effect`: it states what a
 * clearing released when it was settled, and a hold may have ended or have been released since.
 */
export function rowsOf({ state }: NetworkWorld) {
  return {
    counters: state.cards.values().map(({ id, counters }) => ({ id, counters })),
    // A window of zeros is one without a row.
    windows: state.card_windows.values().filter(({ held, cleared, uses }) => held !== 0 || cleared !== 0 || uses !== 0),
    authorizations: state.authorizations.values().map(({ event_id: _event_id, ...row }) => row),
    clearings: state.clearings.values().map(({ hold_effect: _hold_effect, event_id: _event_id, ...row }) => row),
  };
}
