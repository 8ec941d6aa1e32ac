import { match_rules } from '@tallystick/cards';
import type { CoveringSet } from './covering-sets.ts';
import type { Alternative, ItemMatch } from './item.ts';
import { itemIdOf, type RecordKey } from './item-id.ts';
import { ruleOf } from './item-matches.ts';
import type { ItemRecords } from './item-parts.ts';
import { isProposal } from './judge-item.ts';
import type { ClearedAmount } from './records.ts';

/** How many covering sets an item lists among its alternatives. */
const offers_listed_max = 10;

/** The other ways to match the records of an item, and for a proposal the one that was taken. */
export function alternativesOf(
  offersOf: OffersOf,
  { clearings, lines }: ItemRecords,
  matches: readonly ItemMatch[],
): readonly Alternative[] {
  const applied = matches.filter(({ rule }) => rule === 'covering_set').map(toApplied);
  const proposals = clearings.filter(isProposal).map(toAlternative);
  if (offersOf === noOffers) return [...proposals, ...applied];
  const offered = new Set([
    ...clearings.flatMap(({ id }) => offersOf({ kind: 'clearing', id })),
    ...lines.flatMap(({ id }) => offersOf({ kind: 'line', id })),
  ]);
  const best = [...offered].sort((a, b) => a.place - b.place).slice(0, offers_listed_max);
  return [...proposals, ...applied, ...best.map(({ set }) => toOffer(set))];
}

/** The covering sets of a record that were not applied, with their places in the list of all. */
export type OffersOf = (record: RecordKey) => readonly { readonly set: CoveringSet; readonly place: number }[];

const noOffers: OffersOf = () => [];

/** Finds the offers of a record by the record. */
export function offersByRecord(offers: readonly CoveringSet[]): OffersOf {
  if (offers.length === 0) return noOffers;
  const by_record = new Map<number, { readonly set: CoveringSet; readonly place: number }[]>();
  for (const [place, set] of offers.entries()) {
    const offer = { set, place };
    for (const own of [
      ...set.clearing_ids.map((id) => itemIdOf({ kind: 'clearing', id })),
      ...set.line_ids.map((id) => itemIdOf({ kind: 'line', id })),
    ]) {
      const known = by_record.get(own);
      if (known === undefined) by_record.set(own, [offer]);
      else known.push(offer);
    }
  }
  return (record) => by_record.get(itemIdOf(record)) ?? [];
}

function toApplied({ clearing_ids, line_ids }: ItemMatch): Alternative {
  return {
    rule: 'covering_set',
    reason: 'the only lines without a reference and clearings that make up each other',
    authorization_id: null,
    clearing_ids,
    line_ids,
  };
}

function toAlternative(clearing: ClearedAmount): Alternative {
  const { id, authorization_id, match_rule, is_tie } = clearing;
  const rule = match_rules.find((known) => known.rule === match_rule);
  return {
    rule: ruleOf(clearing),
    reason: is_tie ? 'several records fit equally well, so none was taken' : (rule?.meaning ?? ''),
    authorization_id,
    clearing_ids: [id],
    line_ids: [],
  };
}

function toOffer({ line_ids, clearing_ids, amount, days }: CoveringSet): Alternative {
  const of = line_ids.length === 1 ? `${clearing_ids.length} clearing(s)` : `${line_ids.length} lines`;
  return {
    rule: 'covering_set',
    reason: `${of} make up ${amount} within ${days} days, and so do others`,
    authorization_id: null,
    clearing_ids,
    line_ids,
  };
}
