import { type Act, pairKeyOf } from '../act.ts';
import { type ActPlan, type Situation, subjectOf } from './act-plan.ts';
import { statementPairsOf } from './plan-statement-match.ts';

/** Whether a match by hand stands: it has its records, and no later act is about one of its pairs. */
export function isStandingMatch(
  act: Act,
  { item, history, clearings }: Pick<Situation, 'item' | 'history' | 'clearings'>,
): boolean {
  if (act.action !== 'match' || !history.some(({ id }) => id === act.id)) return false;
  if (history.some((later) => later.id > act.id && isAboutPairOf(later, act))) return false;
  const { authorization, pairs } = act.subject;
  if (authorization !== null) {
    const { clearing_id, authorization_id } = authorization;
    return clearings.some((clearing) => clearing.id === clearing_id && clearing.authorization_id === authorization_id);
  }
  const made = new Set(statementPairsOf(item, { with_fees: true }).map(pairKeyOf));
  return pairs.every((pair) => made.has(pairKeyOf(pair)));
}

function isAboutPairOf({ subject: later }: Act, { subject }: Act): boolean {
  const clearing_id = subject.authorization?.clearing_id;
  if (clearing_id !== undefined) {
    return [later.authorization, ...later.confirmed].some((pair) => pair?.clearing_id === clearing_id);
  }
  const keys = new Set(subject.pairs.map(pairKeyOf));
  return later.pairs.some((pair) => keys.has(pairKeyOf(pair)));
}

/** The plan that undoes a match by hand which stands: everything is as it was before. */
export function undoingOfMatch(
  { subject: { authorization, pairs, confirmed } }: Act,
  { item, clearings }: Pick<Situation, 'item' | 'clearings'>,
): ActPlan {
  const matched = clearings.filter(({ id }) => id === authorization?.clearing_id);
  const is_confirmation = confirmed.length > 0;
  return {
    subject: subjectOf(item, { authorization, pairs, rule: 'person' }),
    rematches: matched.map((clearing) => ({ clearing, authorization_id: null, is_confirmation })),
  };
}
