import type { ClearedAmount } from '../records.ts';

type ReversedFields = Pick<ClearedAmount, 'id' | 'clearing_id' | 'cycle' | 'match_rule' | 'amount'>;

/** The ids of a clearing and of the message reversals that undid it. */
export type CancelledGroup = readonly number[];

/** Whether a clearing is a message reversal of the clearing to which it refers (rule 1). */
export function isMessageReversal({ cycle, match_rule }: Pick<ClearedAmount, 'cycle' | 'match_rule'>): boolean {
  return cycle === 'reversal' && match_rule === 1;
}

/**
 * The clearings that message reversals undid, each with its reversals, when their amounts add up to
 * 0. Banks often book neither, so none of a group needs a statement line unless one of it has one.
 */
export function cancelledGroupsOf(clearings: readonly ReversedFields[]): readonly CancelledGroup[] {
  const reversals = clearings.filter((one) => one.clearing_id !== null && isMessageReversal(one));
  if (reversals.length === 0) return [];
  const by_undone = Map.groupBy(reversals, ({ clearing_id }) => clearing_id);
  return clearings.flatMap((undone) => {
    const its = by_undone.get(undone.id);
    if (its === undefined || its.reduce<number>((sum, { amount }) => sum + amount, undone.amount) !== 0) return [];
    return [[undone.id, ...its.map(({ id }) => id)]];
  });
}
