import { type BreakKind, break_kinds, type Difference, type ItemStatus } from '../item.ts';
import { cancelledGroupsOf } from '../pairing/cancelled-clearings.ts';
import { isDistant } from '../pairing/distant-pairs.ts';
import { type ClearedAmount, type Coverage, isPairable } from '../records.ts';
import { nextBucketAt } from './age.ts';
import { differenceKeyOf } from './difference.ts';
import { type Finding, findAwaited, findingsOf, leastOf, needsLine, undoneBy } from './findings.ts';
import { sumOf } from './item-amounts.ts';
import type { ItemRecords } from './item-parts.ts';

/** What an assessment depends on beside the records. */
export interface Criteria {
  readonly coverage: Coverage;
  /** The differences that matches of people accept, as `differenceKeyOf` has them. */
  readonly accepted: ReadonlySet<string>;
  /** The largest difference that the rule `tolerance` accepts, in minor units; null: none. */
  readonly tolerance: number | null;
  readonly now_ms: number;
}

/** The state of an item before any decision of a person about it as a whole. */
export interface Assessment {
  readonly status: Exclude<ItemStatus, 'ignored'>;
  readonly kind: BreakKind | null;
  /** The clearings that the break is about, in the canonical order; empty when it is about none. */
  readonly concerned: readonly ClearedAmount[];
  readonly due_date: string | null;
  /** When status, kind or due date change by themselves; null: never. */
  readonly next_change_ms: number | null;
  /** When the age bucket of a break changes; null when it does not. */
  readonly next_bucket_ms: number | null;
  readonly sides: 1 | 2 | 3;
  /** The differences that the rule `tolerance` accepts. */
  readonly tolerated: readonly Difference[];
}

/**
 * Decides the status of an item and the kind of its break at an instant (decision: reconciliation,
 * statuses and kinds): the worst of what is missing or differs. A difference that is accepted is no
 * break. An item of which nothing else is left is accepted, unless a match of it is a proposal:
 * what a person has to check is no match whose difference a rule accepts.
 */
export function assess(records: ItemRecords, { coverage, accepted, tolerance, now_ms }: Criteria): Assessment {
  const findings = findingsOf(records, coverage);
  const pending = findings.filter(({ from_ms }) => from_ms > now_ms);
  const present = findings.filter(({ kind, from_ms }) => kind !== null && from_ms <= now_ms);
  const is_proposed = isProposed(records);
  const left = present.filter(({ difference }) => difference === null || !accepted.has(differenceKeyOf(difference)));
  const tolerated = is_proposed || tolerance === null ? nothing_tolerated : toleratedOf(left, tolerance);
  const breaks = left.filter(({ difference }) => difference === null || !tolerated.has(differenceKeyOf(difference)));
  const awaited = pending.length > 0 ? 'awaiting' : 'matched';
  const without_break = present.length > 0 ? 'accepted' : awaited;
  const status = breaks.length > 0 ? 'break' : is_proposed ? 'proposed' : without_break;
  const kinds = status === 'break' ? breaks : status === 'accepted' ? present : [];
  const kind = break_kinds.find((one) => kinds.some((found) => found.kind === one)) ?? null;
  const shown = kind === null ? pending : kinds.filter((found) => found.kind === kind);
  const due_date = leastOf(shown.map((finding) => finding.due_date));
  return {
    status,
    kind,
    concerned:
      kind === null
        ? []
        : records.clearings.filter((clearing) => shown.some((finding) => finding.clearings.includes(clearing))),
    due_date,
    next_change_ms: leastOf(pending.map(({ from_ms }) => from_ms)),
    next_bucket_ms: status !== 'break' || due_date === null ? null : nextBucketAt(due_date, now_ms),
    sides: sidesOf(records, coverage),
    tolerated: [...tolerated.values()],
  };
}

const nothing_tolerated: ReadonlyMap<string, Difference> = new Map();

/**
 * The differences of at most the tolerance, if their sum is also at most the tolerance. Without
 * that a purchase of many parts would be accepted with many times as much.
 */
function toleratedOf(findings: readonly Finding[], tolerance: number): ReadonlyMap<string, Difference> {
  const small = findings.flatMap(({ difference }) =>
    difference !== null && Math.abs(difference.amount) <= tolerance ? [difference] : [],
  );
  const tolerated = new Map(small.map((difference) => [differenceKeyOf(difference), difference]));
  return Math.abs(sumOf([...tolerated.values()])) <= tolerance ? tolerated : nothing_tolerated;
}

/**
 * Whether a match needs a person: rules 5 to 7 or a match under review that nobody
 * confirmed, several records that fit equally well, a covering set, or a line that was booked far
 * from the settlement.
 */
function isProposed({ clearings, pairings }: ItemRecords): boolean {
  const undone = undoneBy(clearings);
  return (
    pairings.some((pairing) => pairing.rule === 'covering_set' || isDistant(pairing)) ||
    clearings.some((clearing) => !undone.has(clearing.id) && isProposal(clearing))
  );
}

/** Whether the match of a clearing is a proposal. */
export function isProposal(clearing: ClearedAmount): boolean {
  const { is_chosen, is_tie, review, match_rule, authorization_id, clearing_id } = clearing;
  if (is_chosen) return false;
  return is_tie || review || (match_rule >= 5 && match_rule <= 7 && (authorization_id ?? clearing_id) !== null);
}

/** How many of authorization, clearing and statement the item has or needs. */
function sidesOf({ purchases, clearings, lines }: ItemRecords, coverage: Coverage): 1 | 2 | 3 {
  const awaits_clearing = purchases.some((purchase) => findAwaited(purchase).length > 0);
  const has_line = lines.some(isPairable);
  const clearing = clearings.length > 0 || has_line || awaits_clearing;
  // Only for clearings: when statements begin to cover a currency, items without one stay as they
  // are.
  const needless = new Set(cancelledGroupsOf(clearings).flat());
  const statement = has_line || clearings.some((one) => !needless.has(one.id) && needsLine(one, coverage));
  // A line that cannot be paired is a side by itself.
  return Math.max(1, Number(purchases.length > 0) + Number(clearing) + Number(statement)) as 1 | 2 | 3;
}
