/** What a person chose about a clearing and an authorization: that it belongs to it, or not. */
export interface MatchChoice {
  readonly authorization_id: number;
  /** False: the person took the clearing from this authorization. */
  readonly is_match: boolean;
}

/** The choices of people about one clearing, oldest first; null when nobody chose. */
export type MatchChoices = readonly MatchChoice[] | null;

/**
 * The authorization that a person matched the clearing to; null when the rules decide. The newest
 * choice counts: while a clearing is matched by hand, only that match can be chosen against.
 */
export function chosenOf(choices: MatchChoices): number | null {
  const newest = choices?.at(-1);
  return newest?.is_match === true ? newest.authorization_id : null;
}

/**
 * The authorizations that a person took the clearing from. No rule matches it to one of them
 * (decision: reconciliation).
 */
export function barredOf(choices: MatchChoices): readonly number[] {
  if (choices === null) return [];
  const stands = new Map(choices.map(({ authorization_id, is_match }) => [authorization_id, is_match]));
  return [...stands].filter(([, is_match]) => !is_match).map(([id]) => id);
}

/**
 * The choices after a person made one more. A choice that undoes the newest one removes it, so that
 * any sequence of choices and their undoing ends where it began: `matchUnder` returns the
 * authorization that the clearing would have under other choices, and the newest choice is removed
 * only when the clearing then has the match that is asked for, and when choosing against that again
 * would end here.
 */
export function chooseAlso(
  choices: MatchChoices,
  choice: MatchChoice,
  matchUnder: (choices: MatchChoices) => number | null,
): MatchChoices {
  const { authorization_id, is_match } = choice;
  const newest = choices?.at(-1);
  if (newest?.authorization_id === authorization_id && newest.is_match !== is_match) {
    const earlier = withoutNewest(choices);
    const is_met = (matchUnder(earlier) === authorization_id) === is_match;
    if (is_met && isSameChoices(chooseAlso(earlier, newest, matchUnder), choices)) return earlier;
  }
  return [...(choices ?? []), choice];
}

export function withoutNewest(choices: MatchChoices): MatchChoices {
  return choices === null || choices.length < 2 ? null : choices.slice(0, -1);
}

export function isSameChoices(one: MatchChoices, other: MatchChoices): boolean {
  if (one === other) return true;
  if (one === null || other === null || one.length !== other.length) return false;
  return one.every(
    ({ authorization_id, is_match }, at) =>
      other[at]?.authorization_id === authorization_id && other[at].is_match === is_match,
  );
}
