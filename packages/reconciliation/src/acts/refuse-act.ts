import { Refusal } from '@tallystick/kernel';
import type { ActKind } from '../act.ts';
import { fingerprintOf, type Item } from '../item.ts';
import type { SeenItem } from '../items/read-items.ts';
import { describeAct, describeMembers } from './act-sentence.ts';
import type { KnownRecords } from './known-records.ts';
import { differsFromStatement, isDecided, permittedActs, standingActs } from './standing-acts.ts';

/**
 * Refuses (`conflict`) to act on an item that has another version than the person saw, and says
 * what happened. `seen_act_id`: the newest act that the person may have seen; null: not known.
 */
export function refuseOtherVersion(
  { item, history }: SeenItem,
  expected: { readonly version: number; readonly seen_act_id: number | null },
): void {
  if (item.version === expected.version) return;
  throw otherVersion({ item, history }, expected);
}

/**
 * Refuses (`conflict`) to act by the id of an item that was merged into another one, unless the
 * request has the version of that one: the person may never have seen it. Says which it is.
 */
export function refuseMerged(
  { item, history }: SeenItem,
  asked: { readonly item_id: number; readonly version: number | null },
): void {
  if (item.id === asked.item_id || item.version === asked.version) return;
  const newest = history.at(-1);
  const who = newest === undefined ? '' : ` (${describeAct(newest)})`;
  const where = `item ${asked.item_id} is part of item ${item.id} now, which has version ${item.version}${who}`;
  throw conflict(`${where}: act on item ${item.id}, or send its version`);
}

/** The refusal for an item that changed. */
export function otherVersion(
  { item, history }: SeenItem,
  { version, seen_act_id }: { readonly version: number; readonly seen_act_id: number | null },
): Refusal {
  const newest = history.at(-1);
  const is_act = newest !== undefined && (seen_act_id === null || newest.id > seen_act_id);
  const what = is_act ? describeAct(newest) : `it is ${stateOf(item)} now, with ${describeMembers(item)}`;
  return conflict(`item ${item.id} has version ${item.version} by now, not ${version}: ${what}`);
}

/**
 * Refuses (`conflict`) an act that the state of an item does not permit, and says what would be
 * right. What a match names is checked later: what it takes is not matched yet, so a matched item
 * may still lack a side. What a person unmatched or matched can be taken back although the item was
 * decided meanwhile.
 */
export function refuseByState(known: Pick<KnownRecords, 'periods'>, seen: SeenItem, action: ActKind): void {
  const { item } = seen;
  refuseFrozen(known, item);
  if (action === 'reopen') return;
  const takes_back = seen.history.some((act) => act.action === inverse_of_match[action]);
  if (!takes_back) refuseDecided(seen);
  if ((action === 'match' && !differsFromStatement(item)) || takes_back) return;
  const decision = standingActs(seen.history).decisions.get(fingerprintOf(item)) ?? null;
  if (!permittedActs(item, decision).includes(action)) throw conflict(refusalOf(item, action));
}

const inverse_of_match: Readonly<Partial<Record<ActKind, ActKind>>> = { match: 'unmatch', unmatch: 'match' };

/**
 * What was thrown. A conflict also says what people did to the item last, unless it does already:
 * of two people who act at once, the second one learns it even if the first one was done before.
 */
export function withNewestAct(error: unknown, { history }: Pick<SeenItem, 'history'>): unknown {
  const newest = history.at(-1);
  if (!(error instanceof Refusal) || error.code !== 'conflict' || newest === undefined) return error;
  const act = describeAct(newest);
  return error.message.includes(act) ? error : conflict(`${error.message}; ${act}`);
}

/** Refuses (`conflict`) to change an item that a closed period has. */
export function refuseFrozen({ periods }: Pick<KnownRecords, 'periods'>, item: Item): void {
  if (item.period_id === null) return;
  const period = periods.get(item.period_id);
  const through = period === undefined ? '' : `, closed through ${period.closed_through}`;
  const what = `item ${item.id} belongs to period ${item.period_id}${through}`;
  throw conflict(`${what}, and does not change any more: reopen the period first`);
}

/** Refuses (`conflict`) to change an item that a person ignored or accepted. */
export function refuseDecided({ item, history }: SeenItem): void {
  const decision = standingActs(history).decisions.get(fingerprintOf(item)) ?? null;
  if (!isDecided(item, decision)) return;
  const by_rule = item.rule === 'tolerance' ? ' by the rule tolerance' : '';
  const who = decision === null ? by_rule : `: ${describeAct(decision)}`;
  throw conflict(`item ${item.id} is ${item.status}${who}. Reopen it first`);
}

function refusalOf(item: Item, action: Exclude<ActKind, 'reopen'>): string {
  const is = `item ${item.id} is ${stateOf(item)}`;
  switch (action) {
    case 'match':
      return `${is}, and does not count: confirm it first, or match the line of the statement`;
    case 'accept':
      return `${is}: only a break can be accepted`;
    case 'ignore':
      return `${is}, with ${describeMembers(item)}: nothing of it is left to ignore`;
    case 'confirm':
      return item.status === 'proposed'
        ? `${is}, and joins nothing that can be confirmed: match it with what it belongs to, or ignore it`
        : `${is}: only a proposed match can be confirmed`;
    case 'unmatch':
      return `${is}, and has no match that can be undone`;
  }
}

/** The status of an item, and the kind of a break: `break (amount)`. */
export function stateOf({ status, kind }: Item): string {
  return kind === null ? status : `${status} (${kind})`;
}

export function conflict(reason: string): Refusal {
  return new Refusal('conflict', reason);
}
