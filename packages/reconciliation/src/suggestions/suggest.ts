import { inTurns, type Steps } from '@tallystick/kernel';
import { type Act, type AuthorizationPair, pairKeyOf, pairsBetween } from '../act.ts';
import { standingActs } from '../acts/standing-acts.ts';
import { dateOf, daysBetween } from '../calendar.ts';
import type { Item } from '../item.ts';
import { byId, itemIdOf, type MatchedIds, type RecordIds, recordsOf } from '../item-id.ts';
import { findItems } from '../items/find-item.ts';
import { entryKeyOfClearing, entryKeyOfLine, isPairingKey } from '../pairing/entry-key.ts';
import type { ReconciliationStore } from '../ports.ts';
import { type AuthorizedPurchase, type CardLine, type ClearedAmount, isPairable } from '../records.ts';
import { compareReferences, compareSuggestions, describeDifferences, isNear } from './compare-records.ts';
import { isNearSide, isOpen, type NearQuestion, near_columns, near_days_max } from './near-items.ts';
import type { Suggestion } from './suggestion.ts';

/** How many suggestions a break has at most (decision: reconciliation). */
export const suggestions_max = 5;

/**
 * The suggestions of each of these items of a company, by its id: what each break with a side
 * missing may be matched with, best first. Other items have none. Nothing that a person took apart
 * from the item is suggested. Costs the same few queries however many items there are: a page or a
 * batch of them.
 */
export async function suggestFor(
  store: ReconciliationStore,
  company_id: number,
  items: readonly Item[],
): Promise<ReadonlyMap<number, readonly Suggestion[]>> {
  const breaks = items.filter(({ status, period_id }) => status === 'break' && period_id === null);
  if (breaks.length === 0) return new Map();
  const own = await readRecords(store, company_id, breaks);
  const asked = breaks.flatMap((item) => questionsOf(item, own).map((question) => ({ item, question })));
  const near = await store.nearItems(
    company_id,
    asked.map(({ question }) => question),
  );
  const found = await store.items(company_id, [...new Set(near.flat())]);
  const found_by_id = new Map(found.map((item) => [item.id, item]));
  const sets = breaks.map(coveringSetsOf);
  const item_of = await findItems(store, company_id, sets.flat().flatMap(recordsOf));
  const others = await readRecords(store, company_id, [...found, ...sets.flat()]);
  const records = joinRecords(own, others);
  const acts = await store.actsOn(company_id, [
    ...breaks.flatMap(recordsOf),
    ...recordsOf({ clearing_ids: [...others.clearings.keys()] }),
  ]);
  const bars = barsOf(acts);
  function* steps(): Steps<ReadonlyMap<number, readonly Suggestion[]>> {
    const candidates = new Map(breaks.map((item, at) => [item.id, sets[at]!.flatMap((set) => toSet(item, set))]));
    for (const [at, { item, question }] of asked.entries()) {
      yield;
      for (const id of near[at]!) {
        const other = found_by_id.get(id);
        if (other === undefined || other.id === item.id || other.currency !== item.currency) continue;
        candidates.get(item.id)!.push(...toCandidate(item, other, question));
      }
    }
    return new Map(breaks.map(({ id }) => [id, bestOf(candidates.get(id)!)]));
  }

  /** The suggestion of another item, if it is near enough and nobody took the two apart. */
  function toCandidate(item: Item, other: Item, question: NearQuestion): readonly Unnumbered[] {
    const { side, amount, date } = question;
    const { has, record } = near_columns[side];
    // A record with the reference may be in an item that is decided, frozen or complete.
    if (!isNearSide(other, side)) return [];
    const ids = withOf(other, side);
    if (ids === null || isBarred(item, ids)) return [];
    const its_amount = other[has]!;
    const its_date = side === 'uncleared_purchase' ? dateOf(other.opened_at_ms) : other.period_date!;
    const [clearing, counterpart] = sidesOf(item, other, side);
    if (clearing === undefined || counterpart === undefined || isUnfit(counterpart)) return [];
    const differs = {
      amount: its_amount - amount,
      days: daysBetween(date, its_date),
      ...compareReferences(clearing, counterpart),
    };
    if (!isNear({ amount: its_amount, differs }, question, near_days_max)) return [];
    const verb = { clearing: 'settled', line: 'booked', authorization: 'authorized' } as const;
    const reason = describeDifferences(differs, verb[record], item.currency);
    return [{ item_id: other.id, ...ids, amount: its_amount, date: its_date, differs, reason }];
  }

  /** A covering set that was not applied, as the records that the item lacks of it. */
  function toSet(item: Item, set: RecordIds): readonly Unnumbered[] {
    const its_items = recordsOf(set).map((record) => item_of.get(itemIdOf(record)));
    if (its_items.some((its) => its === undefined || !isOpen(its))) return [];
    const is_line = item.line_ids.length > 0;
    const [clearings, lines] = [valuesOf(records.clearings, set.clearing_ids), valuesOf(records.lines, set.line_ids)];
    const [clearing, line] = [clearings[0], lines[0]];
    if (clearing === undefined || line === undefined || isBarred(item, { authorization_id: null, ...set })) return [];
    const date = is_line ? clearing.settlement_date : line.booking_date;
    const differs = {
      amount: 0,
      days: daysBetween(is_line ? line.booking_date : clearing.settlement_date, date),
      ...compareReferences(clearing, line),
    };
    const count = set.clearing_ids.length > 1 ? `${set.clearing_ids.length} clearings` : `${set.line_ids.length} lines`;
    const together = set.clearing_ids.length > 1 ? 'the line' : 'the clearing';
    const others_of = {
      authorization_id: null,
      clearing_ids: set.clearing_ids.filter((id) => !item.clearing_ids.includes(id)),
      line_ids: set.line_ids.filter((id) => !item.line_ids.includes(id)),
    };
    const amount = set.clearing_ids.length > 1 ? line.amount : clearing.amount;
    const reason = `${count} that together make up ${together}, within 3 days`;
    return [{ item_id: null, ...others_of, amount, date, differs, reason }];
  }

  /** The clearing and the record of the other side that are compared. */
  function sidesOf(item: Item, other: Item, side: NearQuestion['side']) {
    const [cleared, having] = near_columns[side].record === 'clearing' ? [other, item] : [item, other];
    const clearing = valuesOf(records.clearings, cleared.clearing_ids)[0];
    const [line] = valuesOf(records.lines, having.line_ids);
    const [purchase] = valuesOf(records.purchases, having.authorization_ids);
    return [clearing, side === 'unstated_clearing' || side === 'lone_line' ? line : purchase] as const;
  }

  function withOf({ clearing_ids, line_ids, authorization_ids }: Item, side: NearQuestion['side']): MatchedIds | null {
    if (side === 'lone_line') return { authorization_id: null, clearing_ids: [], line_ids };
    if (side === 'unstated_clearing') return { authorization_id: null, clearing_ids, line_ids: [] };
    if (side === 'uncleared_purchase') {
      const [authorization_id, ...more] = authorization_ids;
      return more.length > 0 ? null : { authorization_id: authorization_id!, clearing_ids: [], line_ids: [] };
    }
    const single = valuesOf(records.clearings, clearing_ids).filter(
      ({ cycle, authorization_id }) => cycle === 'first_presentment' && authorization_id === null,
    );
    // `match` names one clearing of an authorization.
    return single.length === 1 ? { authorization_id: null, clearing_ids: [single[0]!.id], line_ids: [] } : null;
  }

  function isBarred(item: Item, { authorization_id, clearing_ids, line_ids }: MatchedIds): boolean {
    if (bars.size === 0) return false;
    const joinIds = (own_ids: readonly number[], ids: readonly number[]) => [...new Set([...own_ids, ...ids])];
    const [all_clearings, all_lines] = [joinIds(item.clearing_ids, clearing_ids), joinIds(item.line_ids, line_ids)];
    const authorizations = authorization_id === null ? item.authorization_ids : [authorization_id];
    return (
      pairsBetween({ line_ids: all_lines, clearing_ids: all_clearings }).some((pair) => bars.has(pairKeyOf(pair))) ||
      all_clearings.some((id) =>
        authorizations.some((of) => bars.has(authorizationBar({ clearing_id: id, authorization_id: of }))),
      )
    );
  }

  return await inTurns(steps(), store.giveWay);
}

type Unnumbered = Omit<Suggestion, 'number'>;

function bestOf(candidates: readonly Unnumbered[]): readonly Suggestion[] {
  const unique = new Map(
    candidates.map((one) => [`${one.authorization_id} ${one.clearing_ids} ${one.line_ids}`, { ...one, number: 0 }]),
  );
  const best = [...unique.values()].sort(compareSuggestions).slice(0, suggestions_max);
  return best.map((one, at) => ({ ...one, number: at + 1 }));
}

/** Whether a line cannot be matched: a fee, or a line that a statement contradicts. */
function isUnfit(record: CardLine | AuthorizedPurchase): boolean {
  return 'is_fee' in record && (record.is_fee || !isPairable(record));
}

/** The covering sets among the alternatives of an item, of which one side has several records. */
function coveringSetsOf({ alternatives }: Item): readonly RecordIds[] {
  const sets = alternatives.filter(({ rule }) => rule === 'covering_set');
  return sets
    .filter(({ clearing_ids, line_ids }) => clearing_ids.length + line_ids.length > 2)
    .slice(0, suggestions_max);
}

/** What is missing of a break, as questions for it. A fee and an amount of 0 have none. */
function questionsOf(item: Item, records: Records): readonly NearQuestion[] {
  const { authorized, cleared, stated, currency, vcn_id, class: its_class } = item;
  const questions: NearQuestion[] = [];
  const ask = (of: Omit<NearQuestion, 'currency'>) => {
    if (of.amount !== 0) questions.push({ ...of, currency });
  };
  if (cleared === null && stated !== null) {
    const [line] = valuesOf(records.lines, item.line_ids);
    if (line === undefined || line.is_fee || !isPairable(line)) return [];
    const key = keyOf(entryKeyOfLine(line));
    ask({ side: 'unstated_clearing', vcn_id: null, amount: stated, date: line.booking_date, key });
  }
  if (cleared !== null && stated === null && needsLine(item)) {
    const [clearing] = valuesOf(records.clearings, item.clearing_ids);
    const key = clearing === undefined ? null : keyOf(entryKeyOfClearing(clearing));
    ask({ side: 'lone_line', vcn_id: null, amount: cleared, date: item.settlement_date!, key });
  }
  if (vcn_id === null) return questions;
  if (authorized !== null && cleared === null) {
    const date = dateOf(item.opened_at_ms);
    ask({ side: 'unauthorized_clearing', vcn_id, amount: authorized, date, key: null });
  }
  if (its_class === 'force_post' && authorized === null && cleared !== null) {
    ask({ side: 'uncleared_purchase', vcn_id, amount: cleared, date: item.settlement_date!, key: null });
  }
  return questions;
}

/** Whether a statement covers the clearings of an item that has no line. */
function needsLine({ sides, authorization_ids }: Item): boolean {
  return sides === (authorization_ids.length > 0 ? 3 : 2);
}

function keyOf(key: string): string | null {
  return isPairingKey(key) ? key : null;
}

interface Records {
  readonly purchases: ReadonlyMap<number, AuthorizedPurchase>;
  readonly clearings: ReadonlyMap<number, ClearedAmount>;
  readonly lines: ReadonlyMap<number, CardLine>;
}

/** The most clearings of one item that are looked at. */
const clearings_read_max = 10;

async function readRecords(
  store: ReconciliationStore,
  company_id: number,
  owners: readonly RecordIds[],
): Promise<Records> {
  const idsOf = (ids: (owner: RecordIds) => readonly number[]) => [...new Set(owners.flatMap(ids))];
  const purchases = await store.authorizations(
    company_id,
    idsOf(({ authorization_ids = [] }) => authorization_ids.slice(0, 1)),
  );
  const clearings = await store.clearings(
    company_id,
    idsOf(({ clearing_ids }) => clearing_ids.slice(0, clearings_read_max)),
  );
  const lines = await store.lines(
    company_id,
    idsOf(({ line_ids }) => line_ids.slice(0, 1)),
  );
  // A line that differs from its statement belongs to nothing.
  return { purchases: byId(purchases), clearings: byId(clearings), lines: byId(lines.filter(isPairable)) };
}

function joinRecords(one: Records, other: Records): Records {
  return {
    purchases: new Map([...one.purchases, ...other.purchases]),
    clearings: new Map([...one.clearings, ...other.clearings]),
    lines: new Map([...one.lines, ...other.lines]),
  };
}

function valuesOf<Row>(rows: ReadonlyMap<number, Row>, ids: readonly number[]): readonly Row[] {
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/**
 * The pairs that people undid: of lines as `pairKeyOf`, of authorizations as `authorizationBar`. A
 * match and its undoing leave nothing, as with the pairs of lines.
 */
function barsOf(acts: readonly Act[]): ReadonlySet<string> {
  const by_hand = new Map<string, number>();
  for (const { action, subject } of acts.toSorted((a, b) => a.id - b.id)) {
    if (subject.authorization === null || (action !== 'match' && action !== 'unmatch')) continue;
    const pair = authorizationBar(subject.authorization);
    const state = (by_hand.get(pair) ?? 0) + (action === 'match' ? 1 : -1);
    by_hand.set(pair, Math.max(-1, Math.min(1, state)));
  }
  const undone = [...by_hand].filter(([, state]) => state < 0).map(([pair]) => pair);
  return new Set([...standingActs(acts).hands.bars.map(pairKeyOf), ...undone]);
}

function authorizationBar({ authorization_id, clearing_id }: AuthorizationPair): string {
  return `authorization ${authorization_id} ${clearing_id}`;
}
