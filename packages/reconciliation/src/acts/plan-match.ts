import { refuseCycle } from '@tallystick/cards';
import { invalid } from '@tallystick/kernel';
import { recordsOfPairs } from '../act.ts';
import type { Item } from '../item.ts';
import type { MatchedIds } from '../item-id.ts';
import { differenceOfPurchase } from '../items/difference.ts';
import type { SeenItem } from '../items/read-items.ts';
import type { AuthorizedPurchase, ClearedAmount } from '../records.ts';
import { type ActPlan, type Situation, subjectOf } from './act-plan.ts';
import type { MatchSide } from './act-request.ts';
import type { KnownRecords } from './known-records.ts';
import { planStatementMatch } from './plan-statement-match.ts';
import { conflict, refuseDecided, refuseFrozen } from './refuse-act.ts';

/**
 * Plans a match of an item with records of the other side (decision: reconciliation, actions):
 *
 * - with an authorization: one clearing of the item, or of a purchase one clearing of another item
 * - with lines or clearings: a set of the statement side, whose amounts must add up
 *
 * The two sides are matched one after the other, because each is undone by itself. Refuses
 * (`validation_failed`) what cannot belong together, and (`conflict`) what belongs to something.
 */
export function planMatch(situation: Situation): ActPlan {
  const { item, request } = situation;
  const matched_with = request.with!;
  return sideOf(item, matched_with) === 'authorization'
    ? planAuthorizationMatch(situation, matched_with)
    : planStatementMatch(situation, matched_with);
}

function sideOf(item: Item, { authorization_id, line_ids }: MatchedIds): MatchSide {
  if (authorization_id !== null) {
    if (line_ids.length === 0) return 'authorization';
    throw field('with.line_ids', 'must be absent beside an authorization: match one side after the other');
  }
  if (line_ids.length > 0) return 'statement';
  if (item.authorization_ids.length === 1) return 'authorization';
  if (item.line_ids.length > 0) return 'statement';
  throw field('with', `must name an authorization or lines: item ${item.id} has neither`);
}

function planAuthorizationMatch(situation: Situation, matched_with: MatchedIds): ActPlan {
  const { item, known, request } = situation;
  refuseDecided(situation);
  const clearing = clearingToMatch(situation, matched_with);
  const authorization_id = matched_with.authorization_id ?? item.authorization_ids[0]!;
  if (!item.clearing_ids.includes(clearing.id) && !item.authorization_ids.includes(authorization_id)) {
    throw field('with', `must be about item ${item.id}: neither the clearing nor the authorization belongs to it`);
  }
  const purchase = known.purchases.get(authorization_id);
  if (purchase === undefined) {
    const what = `must be an approved authorization of the company, and there is none with the id ${authorization_id}`;
    throw field('with.authorization_id', what);
  }
  const is_kept = situation.is_of_table && clearing.authorization_id === authorization_id && !clearing.is_chosen;
  if (!is_kept) refuseMisfit(clearing, purchase);
  const pair = { clearing_id: clearing.id, authorization_id };
  const concerned = known.itemsOf(recordsOfPairs([pair]));
  for (const other of concerned) {
    if (other.item.id !== item.id) {
      refuseFrozen(known, other.item);
      refuseDecided(other);
    }
    if (!is_kept && other.item.clearing_ids.includes(clearing.id)) refuseMatched(clearing, other.item);
  }
  const accepted = request.accept_difference
    ? differenceOfPurchase(purchase, withMatch(clearing, authorization_id, concerned, known))
    : null;
  return {
    subject: subjectOf(item, { authorization: pair, confirmed: is_kept ? [pair] : [], accepted }),
    rematches: [{ clearing, authorization_id, is_confirmation: is_kept }],
  };
}

/** The clearings of these items as they are once one of them is matched. */
function withMatch(
  { id }: ClearedAmount,
  authorization_id: number,
  items: readonly SeenItem[],
  known: KnownRecords,
): readonly ClearedAmount[] {
  const ids = new Set(items.flatMap(({ item }) => item.clearing_ids));
  return [...ids]
    .flatMap((of_item) => known.clearings.get(of_item) ?? [])
    .map((clearing) => (clearing.id === id ? { ...clearing, authorization_id } : clearing));
}

/**
 * The clearing that the request names; without a name the only one of the item that can be meant.
 */
function clearingToMatch({ item, known }: Situation, { authorization_id, clearing_ids }: MatchedIds): ClearedAmount {
  if (clearing_ids.length > 1) {
    throw field('with.clearing_ids', 'must name one clearing: each is matched with an authorization by itself');
  }
  const ids = clearing_ids.length === 1 ? clearing_ids : item.clearing_ids;
  const clearings = ids.flatMap((id) => known.clearings.get(id) ?? []);
  if (clearing_ids.length === 1) {
    const [named] = clearings;
    if (named !== undefined) return named;
    throw field('with.clearing_ids', `must be clearings of the company, and there is no clearing ${clearing_ids[0]}`);
  }
  const possible = clearings.filter(({ cycle }) => cycle === 'first_presentment');
  const single = possible.filter((clearing) => clearing.authorization_id === null);
  const [clearing, ...others] = single.length > 0 ? single : possible;
  if (clearing === undefined) {
    throw conflict(`item ${item.id} has no clearing that can be matched with authorization ${authorization_id}`);
  }
  if (others.length > 0) {
    const named = [clearing, ...others].map(({ id }) => id).join(', ');
    throw field('with.clearing_ids', `must name one of the clearings ${named}`);
  }
  return clearing;
}

function refuseMisfit(clearing: ClearedAmount, purchase: AuthorizedPurchase): void {
  const of_cycle = refuseCycle(clearing);
  if (of_cycle !== null) throw of_cycle;
  if (clearing.authorization_id === purchase.id) {
    throw conflict(`clearing ${clearing.id} belongs to authorization ${purchase.id} already`);
  }
  const must = (what: string) => field('with.authorization_id', `must be an authorization ${what}, as the clearing is`);
  if (clearing.card_id !== purchase.card_id) throw must(`of virtual card ${clearing.card_id}`);
  if (clearing.currency !== purchase.currency) throw must(`in ${clearing.currency}`);
}

/** A match that nothing speaks against is undone before another one is made. */
function refuseMatched(clearing: ClearedAmount, { id, status }: Item): void {
  if (clearing.authorization_id === null || status !== 'matched') return;
  const where = `clearing ${clearing.id} belongs to authorization ${clearing.authorization_id}`;
  throw conflict(`${where}, and item ${id} is matched: unmatch it first`);
}

function field(path: string, message: string) {
  return invalid({ path, message });
}
