import { evidenceOf } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import type { ItemMatch, MatchedBy } from '../item.ts';
import { clustersOf, linkOf } from '../pairing/clusters.ts';
import { describeDistance, isDistant, isDistantMatch } from '../pairing/distant-pairs.ts';
import { compareClearings, compareLines, type Pairing } from '../pairing/pair-lines.ts';
import type { AuthorizedPurchase, CardLine, ClearedAmount } from '../records.ts';
import { sumOf } from './item-amounts.ts';
import type { ItemRecords } from './item-parts.ts';

/**
 * What made a match, the most certain first. A match of a person comes after the rules that need no
 * person, so that an item with one shows it. Rule 8 found nothing.
 */
const by_certainty: readonly MatchedBy[] = ['ard', '1', '2', '3', '4', 'person', '5', '6', '7', 'covering_set', '8'];

/** The rule of the weakest match of an item; null when it has none. */
export function weakestOf(matches: readonly ItemMatch[]): MatchedBy | null {
  let weakest: ItemMatch | null = null;
  for (const match of matches) if (weakest === null || doubtOf(match) > doubtOf(weakest)) weakest = match;
  return weakest?.rule ?? null;
}

/** The greater, the less certain. A reference with a distant date is as uncertain as rule 7. */
function doubtOf(match: ItemMatch): number {
  return by_certainty.indexOf(isDistantMatch(match) ? '7' : match.rule);
}

/** The matches of an item: of each clearing in the canonical order, then of its lines. */
export function matchesOf({ purchases, clearings, lines, pairings }: ItemRecords): readonly ItemMatch[] {
  const of_network = clearings.map((clearing) =>
    toNetworkMatch(
      clearing,
      purchases.find(({ id }) => id === clearing.authorization_id),
    ),
  );
  if (pairings.length === 0) return of_network;
  const lines_by_id = new Map(lines.map((line) => [line.id, line]));
  const clearings_by_id = new Map(clearings.map((clearing) => [clearing.id, clearing]));
  const covering = pairings.filter(({ rule }) => rule === 'covering_set');
  const sets = clustersOf(covering.map(linkOf)).map(({ line_ids }) =>
    covering.filter(({ line_id }) => line_ids.has(line_id)),
  );
  const pairs = pairings.filter(({ rule }) => rule !== 'covering_set').map((pairing) => [pairing]);
  return [
    ...of_network,
    ...[...sets, ...pairs]
      .map((joined) => toStatementMatch(joined, clearings_by_id, lines_by_id))
      .sort((a, b) => a.line_ids[0]! - b.line_ids[0]! || a.clearing_ids[0]! - b.clearing_ids[0]!),
  ];
}

/**
 * The match of a clearing with its authorization or earlier clearing, or with none. `purchase`: the
 * authorization, unless a closing froze it.
 */
function toNetworkMatch(clearing: ClearedAmount, purchase: AuthorizedPurchase | undefined): ItemMatch {
  const { id, authorization_id, clearing_id, amount, acquirer_reference, settlement_date, currency } = clearing;
  const billed = { billing_amount: money(Math.abs(amount)), billing_currency: currency };
  return {
    side: 'authorization',
    rule: ruleOf(clearing),
    class: clearing.class,
    authorization_id,
    clearing_ids: [id],
    line_ids: [],
    values: {
      acquirer_reference,
      amount,
      settlement_date,
      earlier_clearing_id: clearing_id,
      ...(purchase === undefined ? {} : evidenceOf({ ...clearing, ...billed }, purchase)),
    },
  };
}

/** What matched a clearing to its authorization or earlier clearing, or to none. */
export function ruleOf({ is_chosen, match_rule }: ClearedAmount): MatchedBy {
  return is_chosen ? 'person' : (String(Math.max(1, Math.min(8, match_rule))) as MatchedBy);
}

function toStatementMatch(
  pairings: readonly Pairing[],
  clearings: ReadonlyMap<number, ClearedAmount>,
  lines: ReadonlyMap<number, CardLine>,
): ItemMatch {
  const [{ rule, fit, days }] = pairings as readonly [Pairing, ...Pairing[]];
  const line_ids = uniqueOf(pairings.map(({ line_id }) => line_id));
  const clearing_ids = uniqueOf(pairings.map(({ clearing_id }) => clearing_id));
  // Not those with the first ids, which depend on the order of arrival.
  const [line] = line_ids.map((id) => lines.get(id)!).sort(compareLines) as [CardLine];
  const [clearing] = clearing_ids.map((id) => clearings.get(id)!).sort(compareClearings) as [ClearedAmount];
  return {
    side: 'statement',
    rule,
    class: null,
    authorization_id: null,
    clearing_ids,
    line_ids,
    values: {
      acquirer_reference: line.acquirer_reference,
      amount: sumOf(line_ids.map((id) => lines.get(id)!)),
      cleared: sumOf(clearing_ids.map((id) => clearings.get(id)!)),
      settlement_date: clearing.settlement_date,
      booking_date: line.booking_date,
      days,
      fit,
      ...(isDistant({ rule, fit, days }) ? { reason: describeDistance({ days }) } : {}),
    },
  };
}

function uniqueOf(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}
