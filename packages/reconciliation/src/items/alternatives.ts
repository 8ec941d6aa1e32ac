import type { MatchCandidate, MatchEvidence } from '@tallystick/cards';
import { showAmount, showDecimal } from '@tallystick/kernel';
import type { Alternative, Item, MatchedBy, Offers } from '../item.ts';
import { itemIdOf, recordsOf } from '../item-id.ts';
import { type CoveringSet, offers_max } from '../pairing/covering-search.ts';
import { key_offers_max } from '../pairing/key-offers.ts';
import type { ClearedAmount } from '../records.ts';
import { ruleOf } from './item-matches.ts';
import type { ItemRecords } from './item-parts.ts';

/**
 * The other ways to match the records of an item: none that is a match already. Of covering sets the
 * best of each record, those with the fewest members first, then the pairs that keys allow. A tie is
 * listed without its authorizations, which `explainItem` finds.
 */
export function alternativesOf(
  sets: Offers,
  pairs_of_keys: Offers,
  { clearings, lines }: ItemRecords,
): readonly Alternative[] {
  const ties = clearings.filter(({ is_tie }) => is_tie).map(toTie);
  if (sets.size + pairs_of_keys.size === 0) return ties;
  // In their order, not in that of their ids.
  const own = recordsOf({ clearing_ids: clearings.map(({ id }) => id), line_ids: lines.map(({ id }) => id) });
  const membersOf = (offer: Alternative) => recordsOf(offer).map(itemIdOf);
  const offersIn = (offers: Offers) => {
    const offered = own.flatMap((record) => offers.get(itemIdOf(record)) ?? []);
    return [...new Map(offered.map((offer) => [membersOf(offer).join(), offer])).values()];
  };
  return [
    ...ties,
    ...offersIn(sets).sort((a, b) => membersOf(a).length - membersOf(b).length),
    ...offersIn(pairs_of_keys).slice(0, key_offers_max),
  ];
}

/** The covering sets of each record that were not applied, at most `offers_max`. */
export function offersByRecord(offers: readonly CoveringSet[]): Offers {
  const by_record = new Map<number, Alternative[]>();
  for (const set of offers) {
    const offer = toOffer(set);
    for (const own of recordsOf(set).map(itemIdOf)) addTo(by_record, own, offer);
  }
  return by_record;
}

/** The offers that stored items list of their records. */
export function offersOfItems(items: Iterable<Item>): Offers {
  const by_record = new Map<number, Alternative[]>();
  for (const { clearing_ids, line_ids, alternatives } of items) {
    const own_records = new Set(recordsOf({ clearing_ids, line_ids }).map(itemIdOf));
    for (const offer of alternatives.filter(({ rule }) => rule === 'covering_set')) {
      for (const own of recordsOf(offer).map(itemIdOf)) if (own_records.has(own)) addTo(by_record, own, offer);
    }
  }
  return by_record;
}

function addTo(by_record: Map<number, Alternative[]>, own_id: number, offer: Alternative): void {
  const known = by_record.get(own_id);
  if (known === undefined) by_record.set(own_id, [offer]);
  else if (known.length < offers_max) known.push(offer);
}

function toTie(clearing: ClearedAmount): Alternative {
  return {
    rule: ruleOf(clearing),
    reason: 'several records fit equally well, so none was taken',
    authorization_id: null,
    clearing_ids: [clearing.id],
    line_ids: [],
  };
}

/** The authorization that the clearing may belong to, found by a rule. */
export function toCandidate(clearing_id: number, { rule, authorization_id, evidence }: MatchCandidate): Alternative {
  return {
    rule: String(rule) as MatchedBy,
    reason: describeEvidence(evidence),
    authorization_id,
    clearing_ids: [clearing_id],
    line_ids: [],
  };
}

function describeEvidence(evidence: MatchEvidence): string {
  const { cleared, authorized, currency, approval_code, merchant_id, network_reference } = evidence;
  const { authorization_date, days } = evidence;
  const amounts = `${showDecimal(cleared, currency)} of ${showAmount(authorized, currency)}`;
  const same = [
    network_reference === null ? [] : `network reference ${network_reference}`,
    approval_code === null ? [] : `approval code ${approval_code}`,
    merchant_id === null ? [] : `merchant ${merchant_id}`,
  ].flat();
  const dates = `authorized on ${authorization_date}, settled ${countOf(Math.abs(days), 'day')}`;
  return `same ${same.join(', ')}; ${amounts}; ${dates} ${days < 0 ? 'before' : 'after'} that`;
}

function countOf(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

function toOffer({ line_ids, clearing_ids, days }: CoveringSet): Alternative {
  const when = days === 0 ? 'on one day' : `within ${countOf(days, 'day')}`;
  return {
    rule: 'covering_set',
    reason: `${describeSum(line_ids.length, clearing_ids.length)} ${when}, and so do others`,
    authorization_id: null,
    clearing_ids,
    line_ids,
  };
}

function describeSum(lines: number, clearings: number): string {
  if (lines > 1) return `${lines} lines make up the clearing`;
  return clearings > 1 ? `${clearings} clearings make up the line` : 'the clearing makes up the line';
}
