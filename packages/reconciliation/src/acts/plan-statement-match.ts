import { isCardLine } from '@tallystick/accounts';
import { invalid, type Refusal, showAmount } from '@tallystick/kernel';
import { type Act, pairKeyOf, pairsBetween, type StatementPair } from '../act.ts';
import type { Difference, Item } from '../item.ts';
import { type MatchedIds, type RecordIds, type RecordKey, recordsOf } from '../item-id.ts';
import { differenceOfSet } from '../items/difference.ts';
import { isDistantMatch } from '../pairing/distant-pairs.ts';
import { type CardLine, type ClearedAmount, isPairable, type StatementRecords } from '../records.ts';
import { type ActPlan, type Situation, subjectOf } from './act-plan.ts';
import { act_members_max } from './act-request.ts';
import { describeAct } from './act-sentence.ts';
import { conflict, refuseDecided, refuseFrozen } from './refuse-act.ts';
import { standingActs } from './standing-acts.ts';

/**
 * Plans a match of lines with clearings. Together with what they are paired with already they are a
 * set, which must add up, fees excepted, unless the act or the rule `tolerance` accepts the
 * difference. So no match leaves a difference open. What an unmatch took apart may come together
 * again as it was, whatever its sum.
 */
export function planStatementMatch(situation: Situation, matched_with: MatchedIds): ActPlan {
  const { item, known, request } = situation;
  const named = namedBy(item, matched_with);
  const clearings = named.clearing_ids.flatMap((id) => known.clearings.get(id) ?? []);
  const lines = named.line_ids.flatMap((id) => known.lines.get(id) ?? []).filter(isCardLine);
  refuseUnknown('with.clearing_ids', 'clearing', named.clearing_ids, clearings);
  refuseUnknown('with.line_ids', 'line', named.line_ids, lines);
  refuseDiffering(lines);
  refuseMixed(clearings, lines);
  if (
    !clearings.some(({ id }) => item.clearing_ids.includes(id)) &&
    !lines.some(({ id }) => item.line_ids.includes(id))
  ) {
    throw invalid({ path: 'with', message: `must be about item ${item.id}: none of these records belongs to it` });
  }
  const seen_others = known.itemsOf(keysOf(clearings, lines)).filter((other) => other.item.id !== item.id);
  const others = seen_others.map((other) => other.item);
  for (const other of others) refuseFrozen(known, other);
  const wanted = pairsOf(lines, clearings);
  const existing = textsOf([item, ...others].flatMap((one) => statementPairsOf(one, { with_fees: true })));
  const missing = wanted.filter((pair) => !existing.has(pairKeyOf(pair)));
  if (missing.length === 0) throw conflict(alreadyMatched(item));
  const whole = wholeSet(situation, clearings, lines);
  const acts = known.actsOnItemsOf(keysOf(whole.clearings, whole.lines));
  const { hands } = standingActs(acts);
  const [pinned, barred] = [textsOf(hands.pins), textsOf(hands.bars)];
  const barred_here = missing.filter((pair) => barred.has(pairKeyOf(pair)));
  if (barred_here.length === missing.length && !situation.is_against_rules && !request.accept_difference) {
    // The bar is removed first, and the rules may make the match again: also of an item that is
    // ignored or accepted only since then.
    const pairs = takenApart(acts, missing) ?? missing;
    const isMet = (after: readonly Item[]) => {
      const made = textsOf(after.flatMap((one) => statementPairsOf(one, { with_fees: true })));
      return missing.every((pair) => made.has(pairKeyOf(pair)));
    };
    return { subject: subjectOf(item, { pairs }), rematches: [], isMet };
  }
  refuseDecided(situation);
  for (const other of seen_others) refuseDecided(other);
  const only_fees = lines.every(({ is_fee }) => is_fee);
  // A fee belongs to one clearing, also within an item.
  const having = only_fees ? [item, ...others] : others;
  refusePaired(having, { clearings: only_fees ? [] : clearings, lines }, wanted, acts);
  const left = differenceOfSet(whole.clearings, whole.lines);
  const is_left = !only_fees && left.amount !== 0;
  const { currency } = clearings[0]!;
  const is_tolerated = Math.abs(left.amount) <= (known.tolerances.get(currency)?.amount ?? 0);
  if (is_left && !request.accept_difference && !is_tolerated) throw differing(left, currency);
  const accepted = is_left && request.accept_difference ? left : null;
  const made = only_fees ? missing : pairsOf(whole.lines, whole.clearings);
  const all = made.filter((pair) => !pinned.has(pairKeyOf(pair)));
  // A barred pair is named twice: the first time the bar is removed, then the pair is made.
  const twice = all.filter((pair) => barred.has(pairKeyOf(pair)));
  return { subject: subjectOf(item, { pairs: [...all, ...twice], accepted }), rematches: [] };
}

/**
 * The pairs of the newest act that took exactly these apart, as it named them: its inverse. An act
 * that undid a match counts as little as that match.
 */
function takenApart(acts: readonly Act[], pairs: readonly StatementPair[]): readonly StatementPair[] | null {
  const texts = textsOf(pairs);
  const standing: Act[] = [];
  for (const act of acts.toSorted((a, b) => a.id - b.id)) {
    const { action, subject } = act;
    if (action !== 'match' && action !== 'unmatch') continue;
    const its = textsOf(subject.pairs);
    if (its.size !== texts.size || !texts.isSubsetOf(its)) continue;
    const last = standing.at(-1);
    if (last !== undefined && last.action !== action && last.subject.pairs.length === subject.pairs.length) {
      standing.pop();
    } else standing.push(act);
  }
  return standing.findLast(({ action }) => action === 'unmatch')?.subject.pairs ?? null;
}

/** The records that a request is about; those of the item itself need no names. */
function namedBy(item: Item, { clearing_ids, line_ids }: MatchedIds): RecordIds {
  const paired = statementPairsOf(item);
  if (clearing_ids.length === 0 && item.clearing_ids.length === 0) {
    throw invalid({ path: 'with.clearing_ids', message: `must name clearings: item ${item.id} has none` });
  }
  const free = item.clearing_ids.filter((id) => !paired.some(({ clearing_id }) => clearing_id === id));
  const own = (free.length > 0 ? free : item.clearing_ids).slice(0, act_members_max);
  return {
    clearing_ids: clearing_ids.length > 0 ? clearing_ids : own,
    line_ids: line_ids.length > 0 ? line_ids : item.line_ids.slice(0, act_members_max),
  };
}

function refuseUnknown(
  path: string,
  kind: string,
  ids: readonly number[],
  found: readonly { readonly id: number }[],
): void {
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw invalid({ path, message: `must be ${kind}s of the company, and there is no ${kind} ${unknown}` });
}

function refuseDiffering(lines: readonly CardLine[]): void {
  const differing = lines.find((line) => !isPairable(line));
  if (differing === undefined) return;
  const line = `line ${differing.id}`;
  throw conflict(`${line} differs from the statement of its date, and does not count: confirm the item of it first`);
}

function refuseMixed(clearings: readonly ClearedAmount[], lines: readonly CardLine[]): void {
  const [clearing, line] = [clearings[0]!, lines[0]!];
  const other = [...clearings, ...lines].find(({ currency }) => currency !== line.currency);
  if (other !== undefined) {
    const message = `must have one currency, and line ${line.id} is in ${line.currency}, record ${other.id} in ${other.currency}`;
    throw invalid({ path: 'with', message });
  }
  const elsewhere = lines.find(({ account_id }) => account_id !== line.account_id);
  if (elsewhere === undefined) return;
  const message = `must be of one account, and line ${elsewhere.id} is not of that of line ${line.id}`;
  throw invalid({
    path: lines.length > 1 ? 'with.line_ids' : 'with',
    message: `${message}, for clearing ${clearing.id}`,
  });
}

/**
 * Refuses (`conflict`) records that other items have in pairs that are not wanted. Says who made
 * these.
 */
function refusePaired(
  others: readonly Item[],
  { clearings, lines }: StatementRecords,
  wanted: readonly StatementPair[],
  acts: readonly Act[],
): void {
  const [clearing_ids, line_ids] = [new Set(clearings.map(({ id }) => id)), new Set(lines.map(({ id }) => id))];
  const texts = textsOf(wanted);
  for (const other of others) {
    for (const pair of statementPairsOf(other, { with_fees: true })) {
      if (texts.has(pairKeyOf(pair))) continue;
      const is_line = line_ids.has(pair.line_id);
      if (!is_line && !clearing_ids.has(pair.clearing_id)) continue;
      if (!is_line && !statementPairsOf(other).some((one) => pairKeyOf(one) === pairKeyOf(pair))) continue;
      const record = is_line ? `line ${pair.line_id}` : `clearing ${pair.clearing_id}`;
      const act = acts.findLast(({ subject }) => subject.pairs.some((one) => pairKeyOf(one) === pairKeyOf(pair)));
      const who = act === undefined ? '' : ` (${describeAct(act)})`;
      throw conflict(`${record} is matched in item ${other.id} already${who}: unmatch it there first`);
    }
  }
}

function alreadyMatched(item: Item): string {
  const is_proposed = item.matches.some((match) => match.rule === 'covering_set' || isDistantMatch(match));
  const now = is_proposed ? 'as a proposal: confirm it' : 'already';
  return `item ${item.id} has these lines and clearings matched ${now}`;
}

/** The named records with all that they are paired with in the item. */
function wholeSet(
  { item, known }: Situation,
  clearings: readonly ClearedAmount[],
  lines: readonly CardLine[],
): StatementRecords {
  const paired = statementPairsOf(item);
  const clearing_ids = new Set(clearings.map(({ id }) => id));
  const line_ids = new Set(lines.filter(({ is_fee }) => !is_fee).map(({ id }) => id));
  for (let size = -1; size !== clearing_ids.size + line_ids.size; ) {
    size = clearing_ids.size + line_ids.size;
    for (const { line_id, clearing_id } of paired) {
      if (!line_ids.has(line_id) && !clearing_ids.has(clearing_id)) continue;
      line_ids.add(line_id);
      clearing_ids.add(clearing_id);
    }
  }
  for (const { id } of lines) line_ids.add(id);
  return {
    clearings: [...clearing_ids].flatMap((id) => known.clearings.get(id) ?? []),
    lines: [...line_ids].flatMap((id) => known.lines.get(id) ?? []),
  };
}

/**
 * The refusal (`validation_failed`) of a set whose lines, without fees, and clearings have different
 * sums.
 */
function differing({ clearing_ids, line_ids, amount }: Difference, currency: string): Refusal {
  const named = `lines ${line_ids.join(', ')} and clearings ${clearing_ids.join(', ')}`;
  const what = `${named} have a difference of ${showAmount(amount, currency)}`;
  const how =
    'Name all that belong together, or also accept the difference that is left (accept_difference, with a reason)';
  return invalid({ path: 'with', message: `must add up: ${what}. ${how}` });
}

/** Each line with each clearing; a fee with the first clearing only. */
function pairsOf(lines: readonly CardLine[], clearings: readonly ClearedAmount[]): readonly StatementPair[] {
  const ids = clearings.map(({ id }) => id).sort((a, b) => a - b);
  return lines
    .toSorted((a, b) => a.id - b.id)
    .flatMap(({ id, is_fee }) => (is_fee ? ids.slice(0, 1) : ids).map((clearing_id) => ({ line_id: id, clearing_id })));
}

/** The pairs of the statement side of an item. */
export function statementPairsOf(
  { matches }: Item,
  { with_fees = false }: { readonly with_fees?: boolean } = {},
): readonly StatementPair[] {
  return matches
    .filter(({ side, values }) => side === 'statement' && (with_fees || values.fit !== 'fee'))
    .flatMap(pairsBetween);
}

function keysOf(clearings: readonly ClearedAmount[], lines: readonly CardLine[]): readonly RecordKey[] {
  return recordsOf({ clearing_ids: clearings.map(({ id }) => id), line_ids: lines.map(({ id }) => id) });
}

function textsOf(pairs: readonly StatementPair[]): ReadonlySet<string> {
  return new Set(pairs.map(pairKeyOf));
}
