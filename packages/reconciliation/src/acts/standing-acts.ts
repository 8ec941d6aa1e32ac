import { type Act, type ActKind, type ActSubject, pairKeyOf, type StatementPair } from '../act.ts';
import type { Difference, ItemContent, ItemMatch } from '../item.ts';
import { differenceKeyOf } from '../items/difference.ts';
import { isDistantMatch } from '../pairing/distant-pairs.ts';
import type { HandPairs } from '../pairing/pair-lines.ts';

/** What the acts of people leave in force. */
export interface StandingActs {
  readonly hands: HandPairs;
  /**
   * The newest decision that stands, by the fingerprint of the item that the person saw: until it is
   * undone, and while the item has this state.
   */
  readonly decisions: ReadonlyMap<string, Act>;
  /** The differences that standing matches accept, as `differenceKeyOf` has them. */
  readonly accepted: ReadonlySet<string>;
  /**
   * The fingerprints of items whose differences a person keeps the rule `tolerance` from accepting.
   */
  readonly untolerated: ReadonlySet<string>;
}

/**
 * What acts leave in force. They count in the order of their ids, in whatever order they come. An act and
 * the act that undoes it leave nothing.
 *
 * - `match` pins a pair of the statement side; of a barred pair it removes the bar, and the rules
 *   decide again. `unmatch` bars a pair; of a pinned pair it removes the pin.
 * - `confirm` of a covering set or a distant line pins its pairs until `reopen`, so that no later
 *   record dissolves what a person confirmed. A bar is stronger.
 * - `reopen` of what the rule `tolerance` accepts keeps the rule from accepting it, until an `accept`
 *   takes that back. Both name the rule, and are no decisions of their own.
 * - A `match` may accept a difference, until an `unmatch` takes one of the pairs that it is between.
 * - `ignore`, `accept` and `confirm` are decisions about the item as the person saw it. They hold
 *   while it has the same members and amounts, and again when it has them again. `reopen` undoes the
 *   newest that stands.
 *
 * What is in force for a pair depends only on the acts about it, and a decision only on those with
 * its fingerprint, so the acts of the items concerned are enough. The authorization side is kept on
 * the clearings (cards: matches by hand).
 */
export function standingActs(acts: Iterable<Act>): StandingActs {
  const pairs = new Map<string, PairByHand>();
  const in_order = [...acts].sort((a, b) => a.id - b.id);
  for (const { action, subject } of in_order) {
    if (action !== 'match' && action !== 'unmatch') continue;
    for (const pair of subject.pairs) applyTo(pairs, pair, action);
  }
  const decided = standingDecisions(in_order);
  const confirmed = decided.filter(({ action }) => action === 'confirm');
  const states = [...pairs.values()];
  return {
    hands: {
      pins: [
        ...states.filter(({ by_hand }) => by_hand === 'pinned').map(({ pair }) => pair),
        ...new Map(confirmed.flatMap(({ subject }) => subject.pairs.map((pair) => [pairKeyOf(pair), pair])))
          .values()
          .filter((pair) => (pairs.get(pairKeyOf(pair))?.by_hand ?? null) === null),
      ],
      bars: states.filter(({ by_hand }) => by_hand === 'barred').map(({ pair }) => pair),
    },
    decisions: new Map(decided.map((act) => [act.subject.fingerprint, act])),
    accepted: new Set(acceptedDifferences(in_order).map(differenceKeyOf)),
    untolerated: untoleratedOf(in_order),
  };
}

/** Whether an act keeps the rule `tolerance` from accepting an item, or lets it accept it again. */
export function isOfTolerance({ action, subject }: Pick<Act, 'action' | 'subject'>): boolean {
  return subject.rule === 'tolerance' && (action === 'reopen' || action === 'accept');
}

function untoleratedOf(in_order: readonly Act[]): ReadonlySet<string> {
  const untolerated = new Set<string>();
  for (const act of in_order) {
    if (!isOfTolerance(act)) continue;
    if (act.action === 'reopen') untolerated.add(act.subject.fingerprint);
    else untolerated.delete(act.subject.fingerprint);
  }
  return untolerated;
}

/** What matches accept until an unmatch takes any of their pairs apart. */
function acceptedDifferences(in_order: readonly Act[]): readonly Difference[] {
  let accepted: readonly Difference[] = [];
  for (const { action, subject } of in_order) {
    if (action === 'match' && subject.accepted !== null) accepted = [...accepted, subject.accepted];
    if (action === 'unmatch') accepted = accepted.filter((difference) => !takesApart(subject, difference));
  }
  return accepted;
}

function takesApart(
  { pairs, authorization }: ActSubject,
  { authorization_id, clearing_ids, line_ids }: Difference,
): boolean {
  if (authorization !== null) {
    return authorization.authorization_id === authorization_id && clearing_ids.includes(authorization.clearing_id);
  }
  return pairs.some(({ line_id, clearing_id }) => line_ids.includes(line_id) && clearing_ids.includes(clearing_id));
}

/**
 * The decisions that no later act has undone, oldest first. `reopen` undoes the newest one with its
 * fingerprint.
 */
export function standingDecisions(acts: Iterable<Act>): readonly Act[] {
  const stacks = new Map<string, Act[]>();
  for (const act of [...acts].sort((a, b) => a.id - b.id)) {
    if (act.action === 'match' || act.action === 'unmatch' || isOfTolerance(act)) continue;
    const stack = stacks.get(act.subject.fingerprint) ?? [];
    if (act.action === 'reopen') stack.pop();
    else stack.push(act);
    stacks.set(act.subject.fingerprint, stack);
  }
  return [...stacks.values()].flat().sort((a, b) => a.id - b.id);
}

interface PairByHand {
  readonly pair: StatementPair;
  readonly by_hand: 'pinned' | 'barred' | null;
}

function applyTo(pairs: Map<string, PairByHand>, pair: StatementPair, action: 'match' | 'unmatch'): void {
  const before = pairs.get(pairKeyOf(pair))?.by_hand ?? null;
  const [made, undone] = action === 'match' ? (['pinned', 'barred'] as const) : (['barred', 'pinned'] as const);
  pairs.set(pairKeyOf(pair), { pair, by_hand: before === undone ? null : made });
}

/**
 * The acts that an item permits. None while a closed period has it; only its undoing while a
 * decision has it ignored or accepted. What is matched needs no other act than to be taken apart.
 */
export function permittedActs(
  item: ItemContent & { readonly period_id: number | null },
  decision: Pick<Act, 'action'> | null,
): readonly ActKind[] {
  if (item.period_id !== null) return [];
  if (isDecided(item, decision)) return ['reopen'];
  if (differsFromStatement(item)) return ['ignore', 'accept', 'confirm'];
  const permitted: ActKind[] = decision?.action === 'confirm' ? ['reopen'] : [];
  if (item.status !== 'matched') permitted.push('match', 'ignore');
  if (item.matches.some(canUndo)) permitted.push('unmatch');
  if (item.status === 'break') permitted.push('accept');
  if (item.status === 'proposed' && isConfirmable(item)) permitted.push('confirm');
  return permitted;
}

/** Whether an item is a line that counts only if a person keeps it. It cannot be matched. */
export function differsFromStatement({ status, kind }: Pick<ItemContent, 'status' | 'kind'>): boolean {
  return status === 'break' && kind === 'bank_line_differs';
}

/**
 * Whether an item is ignored or accepted, by a decision or the rule `tolerance`, and not by matches
 * that accept its differences.
 */
export function isDecided(
  { status, rule }: Pick<ItemContent, 'status' | 'rule'>,
  decision: Pick<Act, 'action'> | null,
): boolean {
  return status === 'ignored' || (status === 'accepted' && (decision?.action === 'accept' || rule === 'tolerance'));
}

/** Whether a person can undo a match: not what rules 1 and 2 found, which is final. */
export function canUndo({ side, rule, authorization_id }: ItemMatch): boolean {
  return side === 'statement' || (authorization_id !== null && rule !== '1' && rule !== '2');
}

/**
 * Whether there is something to confirm: matches that join records, or that a refund, reversal or
 * dispute under review stands alone. A debit that several authorizations fit cannot stay without
 * one: it would be a purchase that nobody authorized.
 */
function isConfirmable({ matches }: ItemContent): boolean {
  if (matches.some(isJoining)) return true;
  return matches.some(isAlone) && !matches.some((match) => match.class === 'force_post');
}

function isJoining(match: ItemMatch): boolean {
  const { side, rule } = match;
  if (side === 'statement') return rule === 'covering_set' || isDistantMatch(match);
  return rule !== 'person' && !isAlone(match);
}

/** Whether the match of a clearing found nothing that it belongs to. */
function isAlone({ side, authorization_id, values }: ItemMatch): boolean {
  return side === 'authorization' && authorization_id === null && typeof values.earlier_clearing_id !== 'number';
}
