import { Temporal } from '@tallystick/kernel';
import type { ReferenceClearing, ReferenceLine, ReferenceRecords } from './plain-records.ts';

/**
 * What an item must be, computed the slow way: all records at once, each rule in a few lines. It
 * shares no code with packages/reconciliation, and knows no acts and no closed periods.
 */
export interface ReferenceItem {
  /** `authorization 1`, `clearing 2`, `line 3`, sorted. */
  readonly members: readonly string[];
  readonly status: string;
  readonly kind: string | null;
  readonly authorized: number | null;
  readonly cleared: number | null;
  readonly stated: number | null;
  readonly fees: number;
  readonly due_date: string | null;
  /** The amounts that the tolerance accepts, ascending. */
  readonly tolerated: readonly number[];
}

interface Pair {
  readonly line: ReferenceLine;
  readonly clearing: ReferenceClearing;
  readonly how: 'exact' | 'fee' | 'rest' | 'set';
}

const day_ms = 86_400_000;

/** How references are compared: those of 23 digits by BIN and sequence, or each as it came. */
export type ReferenceKeySetting = 'bin+sequence' | 'whole';

export interface ReferenceSettings {
  readonly coverage: ReadonlyMap<string, string>;
  readonly tolerances: ReadonlyMap<string, number>;
}

export function referenceItems(
  records: ReferenceRecords,
  settings: ReferenceSettings,
  now_ms: number,
  setting: ReferenceKeySetting,
): readonly ReferenceItem[] {
  const counting = {
    ...records,
    lines: records.lines.filter((line) => isOfCards(line) && line.standing !== 'differs'),
  };
  const by_key = pairsByKey(counting, setting);
  const pairs = [...by_key, ...pairsBySets(counting, by_key)];
  return groupsOf(records, pairs)
    .map((members) => itemOf(members, records, pairs, settings, now_ms))
    .filter((item) => item !== null);
}

function isOfCards({ bai_code }: ReferenceLine): boolean {
  return ['391', '691', '821', '822', '824', '825', '826'].includes(bai_code);
}

/** Zeros are none. */
function isReference(text: string): boolean {
  return !/^0+$/.test(text);
}

function keyOf(reference: string | null, setting: ReferenceKeySetting): string | null {
  if (reference === null || !isReference(reference)) return null;
  if (setting === 'whole') return reference;
  return reference.length === 23 ? reference.slice(1, 7) + reference.slice(11, 22) : reference;
}

function dayOf(date: string): number {
  return Temporal.PlainDate.from('1970-01-01').until(date, { largestUnit: 'days' }).days;
}

function daysApart({ clearing, line }: Pick<Pair, 'clearing' | 'line'>): number {
  return Math.abs(dayOf(line.booking_date) - dayOf(clearing.settlement_date));
}

/** The order of clearings and lines: one text for each, so that texts compare as the rules do. */
function placeOf({ clearing, line }: Pick<Pair, 'clearing' | 'line'>): string {
  return [
    clearing.settlement_date,
    clearing.amount < 0 ? 'credit' : 'a debit',
    clearing.transaction_id,
    line.booking_date,
    line.bank_reference ?? '~',
    // Lines without a reference of the bank: whichever of them arrived first.
    sortable(line.amount),
    line.acquirer_reference ?? '',
    sortable(line.account_id),
    sortable(line.id),
  ].join(' ');
}

/** An integer as a text that compares as it does. */
function sortable(value: number): string {
  return String(value + 1_000_000_000_000).padStart(13, '0');
}

function rootOf(clearing: ReferenceClearing, clearings: readonly ReferenceClearing[]): string {
  if (clearing.authorization_id !== null) return `authorization ${clearing.authorization_id}`;
  const referred = clearings.find(({ id }) => id === clearing.clearing_id);
  return referred === undefined ? `clearing ${clearing.id}` : rootOf(referred, clearings);
}

function pairsByKey({ clearings, lines }: ReferenceRecords, setting: ReferenceKeySetting): readonly Pair[] {
  const pairs: Pair[] = [];
  const keyIn = ({ currency, acquirer_reference }: ReferenceClearing | ReferenceLine) =>
    `${currency} ${keyOf(acquirer_reference, setting) ?? ''}`;
  const keys = new Set(lines.map(keyIn));
  for (const key of keys) {
    if (key.endsWith(' ')) continue;
    const hasKey = (one: ReferenceClearing | ReferenceLine) => keyIn(one) === key;
    pairs.push(...pairsOfKey(clearings.filter(hasKey), lines.filter(hasKey), clearings));
  }
  return pairs;
}

function pairsOfKey(
  clearings: readonly ReferenceClearing[],
  lines: readonly ReferenceLine[],
  all: readonly ReferenceClearing[],
): readonly Pair[] {
  const pairs: Pair[] = [];
  const nearestFirst = (a: Pair, b: Pair) => daysApart(a) - daysApart(b) || (placeOf(a) < placeOf(b) ? -1 : 1);
  const choices = (how: Pair['how'], some: readonly ReferenceClearing[], of: readonly ReferenceLine[]) =>
    of.flatMap((line) => some.map((clearing): Pair => ({ line, clearing, how }))).sort(nearestFirst);
  const purchases = lines.filter(({ is_fee }) => !is_fee);
  const undone = new Set(undoneGroups(all).flat());
  const lacking = () => clearings.filter((one) => !undone.has(one) && !pairs.some(({ clearing }) => clearing === one));
  const pairExactly = (some: readonly ReferenceClearing[]) => {
    for (const pair of choices('exact', some, purchases)) {
      const is_taken = pairs.some(({ line, clearing }) => line === pair.line || clearing === pair.clearing);
      if (pair.line.amount === pair.clearing.amount && daysApart(pair) <= 3 && !is_taken) pairs.push(pair);
    }
  };
  pairExactly(lacking());
  const wanting = lacking();
  pairExactly(
    clearings.filter(
      (one) =>
        undone.has(one) &&
        !wanting.some(
          (other) =>
            rootOf(other, all) === rootOf(one, all) &&
            other.amount === one.amount &&
            Math.abs(dayOf(other.settlement_date) - dayOf(one.settlement_date)) <= 35,
        ),
    ),
  );
  const exact = [...pairs];
  for (const line of lines.filter(({ is_fee }) => is_fee)) {
    pairs.push(
      ...choices('fee', clearings, [line])
        .slice(0, 1)
        .filter((pair) => daysApart(pair) <= 35),
    );
  }
  const rest = purchases.filter((line) => !exact.some((pair) => pair.line === line));
  const all_left = clearings.filter((clearing) => !exact.some((pair) => pair.clearing === clearing));
  const left = wanting.length > 0 ? wanting : all_left;
  const open = left.length > 0 ? left : clearings;
  if (new Set(open.map((clearing) => rootOf(clearing, all))).size !== 1) return pairs;
  for (const line of rest) {
    const joined = choices('rest', open, [line]);
    pairs.push(...(left.length > 0 ? joined : joined.slice(0, 1)).filter((pair) => daysApart(pair) <= 35));
  }
  return pairs;
}

/** Each clearing that message reversals undid, with these, when nothing of it remains. */
function undoneGroups(clearings: readonly ReferenceClearing[]): readonly (readonly ReferenceClearing[])[] {
  return clearings
    .map((one) => [
      one,
      ...clearings.filter(
        ({ cycle, match_rule, clearing_id }) => cycle === 'reversal' && match_rule === 1 && clearing_id === one.id,
      ),
    ])
    .filter((group) => group.length > 1 && sum(group) === 0);
}

/** The covering sets that are alone, as pairs. */
function pairsBySets({ clearings, lines }: ReferenceRecords, pairs: readonly Pair[]): readonly Pair[] {
  const open_clearings = clearings.filter(
    (one) => one.amount !== 0 && !pairs.some(({ clearing, how }) => clearing === one && how !== 'fee'),
  );
  const hasReference = ({ acquirer_reference }: ReferenceLine) =>
    acquirer_reference !== null && isReference(acquirer_reference);
  const open_lines = lines.filter((one) => !one.is_fee && one.amount !== 0 && !hasReference(one));
  const sets: Pair[][] = [];
  const add = (some: readonly ReferenceClearing[], of: readonly ReferenceLine[]): void => {
    const members = of.flatMap((line) => some.map((clearing): Pair => ({ line, clearing, how: 'set' })));
    const is_near = members.every((pair) => daysApart(pair) <= 3 && pair.line.currency === pair.clearing.currency);
    const signs = new Set([...some, ...of].map(({ amount }) => Math.sign(amount)));
    const accounts = new Set(of.map(({ account_id }) => account_id));
    if (is_near && signs.size === 1 && accounts.size === 1 && sum(some) === sum(of)) sets.push(members);
  };
  for (const line of open_lines) for (const some of subsets(open_clearings, 1)) add(some, [line]);
  for (const clearing of open_clearings) for (const some of subsets(open_lines, 2)) add([clearing], some);
  const isSharing = (set: readonly Pair[], other: readonly Pair[]) =>
    set.some((a) => other.some((b) => a.line === b.line || a.clearing === b.clearing));
  return sets.filter((set) => !sets.some((other) => other !== set && isSharing(set, other))).flat();
}

function subsets<One>(of: readonly One[], least: number): readonly (readonly One[])[] {
  let some: readonly (readonly One[])[] = [[]];
  for (const one of of) some = [...some, ...some.filter((set) => set.length < 5).map((set) => [...set, one])];
  return some.filter((set) => set.length >= least);
}

function sum(of: readonly { readonly amount: number }[]): number {
  return of.reduce((total, { amount }) => total + amount, 0);
}

/** The groups of records that are joined, each as the names of its members. */
function groupsOf({ purchases, clearings, lines }: ReferenceRecords, pairs: readonly Pair[]): string[][] {
  let groups = [
    ...purchases.map(({ id }) => [`authorization ${id}`]),
    ...clearings.map(({ id }) => [`clearing ${id}`]),
    ...lines.map(({ id }) => [`line ${id}`]),
  ];
  const join = (one: string, other: string): void => {
    const joined = groups.filter((group) => group.includes(one) || group.includes(other));
    groups = [...groups.filter((group) => !joined.includes(group)), joined.flat()];
  };
  for (const { id, authorization_id, clearing_id } of clearings) {
    if (authorization_id !== null) join(`clearing ${id}`, `authorization ${authorization_id}`);
    if (clearing_id !== null) join(`clearing ${id}`, `clearing ${clearing_id}`);
  }
  for (const { line, clearing } of pairs) join(`line ${line.id}`, `clearing ${clearing.id}`);
  return groups.map((group) => group.sort());
}

function itemOf(
  members: readonly string[],
  records: ReferenceRecords,
  all_pairs: readonly Pair[],
  { coverage, tolerances }: ReferenceSettings,
  now_ms: number,
): ReferenceItem | null {
  const purchases = records.purchases.filter(({ id }) => members.includes(`authorization ${id}`));
  const clearings = records.clearings.filter(({ id }) => members.includes(`clearing ${id}`));
  const lines = records.lines.filter(({ id }) => members.includes(`line ${id}`));
  const pairs = all_pairs.filter(({ line }) => lines.includes(line));
  if (clearings.length + lines.length === 0 && sum(purchases.map(({ authorized: amount }) => ({ amount }))) === 0) {
    return null;
  }
  /** What is or will be wrong: the kind, its date, and the instant from which on it is a break. */
  const wrong: Wrong[] = [];
  const undone = clearings
    .filter(({ cycle, match_rule }) => cycle === 'reversal' && match_rule === 1)
    .map(({ clearing_id }) => clearing_id);
  /**
   * Whether a duplicate stands for an equal clearing that was undone: each of these has one, the
   * first ones.
   */
  const replaces = (id: number) => {
    const own = clearings.find((one) => one.id === id)!;
    const equal = clearings
      .filter(
        (one) =>
          one.cycle === 'first_presentment' &&
          one.acquirer_reference === own.acquirer_reference &&
          one.amount === own.amount,
      )
      .sort((a, b) =>
        [a.settlement_date, a.transaction_id].join() < [b.settlement_date, b.transaction_id].join() ? -1 : 1,
      );
    const duplicates = equal.filter((one) => one.class === 'suspected_duplicate' && !undone.includes(one.id));
    const gone = equal.filter((one) => one.class !== 'suspected_duplicate' && undone.includes(one.id));
    return duplicates.indexOf(own) < gone.length;
  };
  const leftOf = (root_id: number | null): Left | null => {
    const purchase = purchases.find(({ id }) => id === root_id);
    const own = clearings.filter((one) => rootOf(one, clearings) === `authorization ${root_id}`);
    return purchase === undefined ? null : { of: `purchase ${root_id}`, amount: sum(own) - purchase.authorized };
  };
  for (const { id, class: its_class, is_tie, settlement_date: date, authorization_id } of clearings) {
    if (undone.includes(id)) continue;
    if (its_class === 'suspected_duplicate' && !replaces(id))
      wrong.push({ kind: 'suspected_duplicate', date, from_ms: 0 });
    if (its_class === 'force_post' && !is_tie) wrong.push({ kind: 'unauthorized', date, from_ms: 0 });
    if (its_class === 'over') wrong.push({ kind: 'amount', date, from_ms: 0, left: leftOf(authorization_id) });
  }
  for (const { status, authorized, hold_end_ms, decided_at_ms } of purchases) {
    if (authorized === 0 || !['open', 'expired', 'partially_cleared'].includes(status)) continue;
    const from_ms = hold_end_ms ?? decided_at_ms + 35 * day_ms;
    wrong.push({ kind: status === 'partially_cleared' ? null : 'uncleared', date: utcDate(from_ms), from_ms });
  }
  if (lines.length > 0 && lines.every((line) => !isOfCards(line) && line.standing === null)) return null;
  if (clearings.length === 0) {
    for (const line of lines) {
      if (line.standing === 'differs') wrong.push({ kind: 'bank_line_differs', date: line.booking_date, from_ms: 0 });
      else if (isOfCards(line)) wrong.push(missing('unexplained_line', line.booking_date));
    }
  }
  const open_clearings = new Set(clearings);
  for (const cluster of clustersOf(pairs.filter(({ how }) => how !== 'fee'))) {
    for (const clearing of cluster.clearings) open_clearings.delete(clearing);
    const left = { of: namesOf(cluster.clearings), amount: sum(cluster.lines) - sum(cluster.clearings) };
    if (left.amount === 0) continue;
    const [date] = cluster.clearings.map((one) => one.settlement_date).sort();
    wrong.push({ kind: 'amount', date: date!, from_ms: 0, left });
  }
  for (const group of undoneGroups(clearings)) {
    if (group.every((one) => open_clearings.has(one))) for (const one of group) open_clearings.delete(one);
  }
  for (const { amount, currency, settlement_date } of open_clearings) {
    const first = coverage.get(currency);
    if (amount !== 0 && first !== undefined && settlement_date >= first) {
      wrong.push(missing('unstated', settlement_date));
    }
  }
  const order = [
    'bank_line_differs',
    'suspected_duplicate',
    'unauthorized',
    'amount',
    'uncleared',
    'unstated',
    'unexplained_line',
  ];
  const present = wrong.filter((one) => one.kind !== null && one.from_ms <= now_ms);
  const awaited = wrong.filter(({ from_ms }) => from_ms > now_ms);
  const proposed =
    pairs.some((pair) => pair.how === 'set' || (pair.how === 'rest' && daysApart(pair) > 3)) ||
    clearings.some(
      ({ id, match_rule, review, authorization_id, clearing_id }) =>
        !undone.includes(id) &&
        (review || ([5, 6, 7].includes(match_rule) && (authorization_id !== null || clearing_id !== null))),
    );
  const tolerance = tolerances.get([...clearings, ...purchases, ...lines][0]!.currency) ?? -1;
  const small = ({ left }: Wrong) =>
    !proposed && left !== undefined && left !== null && Math.abs(left.amount) <= tolerance;
  const amounts = new Map(present.filter(small).map(({ left }) => [left!.of, left!.amount]));
  const together = [...amounts.values()].reduce((total, amount) => total + amount, 0);
  const isTolerated = (one: Wrong) => small(one) && Math.abs(together) <= tolerance;
  const breaks = present.filter((one) => !isTolerated(one));
  const accepted = breaks.length === 0 && present.length > 0;
  const kind = order.find((known) => (accepted ? present : breaks).some((one) => one.kind === known)) ?? null;
  const shown = kind === null ? awaited : (accepted ? present : breaks).filter((one) => one.kind === kind);
  const tolerated = new Map(present.filter(isTolerated).map(({ left }) => [left!.of, left!.amount]));
  const fee_lines = lines.filter(({ is_fee }) => is_fee);
  return {
    members,
    status: accepted
      ? 'accepted'
      : kind !== null
        ? 'break'
        : proposed
          ? 'proposed'
          : awaited.length > 0
            ? 'awaiting'
            : 'matched',
    kind,
    authorized: purchases.length === 0 ? null : purchases.reduce((total, { authorized }) => total + authorized, 0),
    cleared: clearings.length === 0 ? null : sum(clearings),
    // Fees of a purchase state nothing about it.
    stated: lines.length === (clearings.length === 0 ? 0 : fee_lines.length) ? null : sum(lines),
    fees: sum(fee_lines),
    due_date: shown.map(({ date }) => date).sort()[0] ?? null,
    tolerated: [...tolerated.values()].sort((a, b) => a - b),
  };
}

interface Wrong {
  readonly kind: string | null;
  readonly date: string;
  readonly from_ms: number;
  /** The difference of the kind `amount`; null: not known. */
  readonly left?: Left | null;
}

interface Left {
  /** The records that it is between. */
  readonly of: string;
  readonly amount: number;
}

function namesOf(clearings: readonly ReferenceClearing[]): string {
  return clearings
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join();
}

function missing(kind: string, date: string): Wrong {
  const due = Temporal.PlainDate.from(date).add({ days: 3 }).toString();
  return { kind, date: due, from_ms: (dayOf(due) + 1) * day_ms };
}

function utcDate(at_ms: number): string {
  return Temporal.PlainDate.from('1970-01-01')
    .add({ days: Math.floor(at_ms / day_ms) })
    .toString();
}

function clustersOf(pairs: readonly Pair[]): { clearings: ReferenceClearing[]; lines: ReferenceLine[] }[] {
  let groups: Pair[][] = [];
  for (const pair of pairs) {
    const touching = groups.filter((group) =>
      group.some(({ line, clearing }) => line === pair.line || clearing === pair.clearing),
    );
    groups = [...groups.filter((group) => !touching.includes(group)), [pair, ...touching.flat()]];
  }
  return groups.map((group) => ({
    clearings: [...new Set(group.map(({ clearing }) => clearing))],
    lines: [...new Set(group.map(({ line }) => line))],
  }));
}
