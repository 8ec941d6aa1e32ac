import type { Call } from '@tallystick/kernel';
import type { DateRange } from '../filters.ts';
import { type MatchedBy, matched_by } from '../item.ts';
import type { MatchCell } from '../keeping/cells.ts';
import type { ReportsTx } from './ports.ts';

/** What a rule made, and what people did about it. */
export interface RuleCount {
  readonly rule: MatchedBy;
  /** Matches of authorizations and earlier clearings with clearings. */
  readonly authorization_matches: number;
  /** Matches of clearings with statement lines. */
  readonly statement_matches: number;
  /** Acts that confirmed a proposal of the rule. */
  readonly confirmed: number;
  /** Acts that undid a match of the rule. */
  readonly undone: number;
}

/** How matches came about (decision: reconciliation, rules). */
export interface RulesReport {
  /** Each rule that made a match or concerned an act, in their order. */
  readonly rules: readonly RuleCount[];
  readonly matches: number;
  /** The part of `matches` that no person made, from 0 to 1; null when there are none. */
  readonly share_without_person: number | null;
  /** Differences that the rule `tolerance` accepts: no matches. */
  readonly tolerated: number;
  readonly confirmed: number;
  readonly undone: number;
  readonly items: number;
  /** Those that no act of a person concerns, not even one that was undone. */
  readonly items_untouched: number;
  /** The part of `items` that is untouched, from 0 to 1, rounded down; null when there are none. */
  readonly share_untouched: number | null;
}

/** Rule 8 found nothing, and `tolerance` accepts differences: they make no match. */
const no_match: ReadonlySet<MatchedBy> = new Set(['8', 'tolerance']);

/**
 * Counts the items whose newest clearing settled on these dates, their matches, and all acts that
 * confirmed or undid one. Reads counters, and these acts.
 */
export async function readRules(
  { reconciliation_reports }: ReportsTx,
  { company_id }: Pick<Call, 'company_id'>,
  settlement_date: DateRange,
): Promise<RulesReport> {
  const counts = await reconciliation_reports.countMatches(company_id, settlement_date);
  const acts = await reconciliation_reports.countActs(company_id);
  const matchesOf = (rule: MatchedBy | null, side: MatchCell['side']) =>
    sumOf(counts.filter((one) => one.rule === rule && one.side === side).map(({ count }) => count));
  const actsOf = (rule: MatchedBy | null, action: 'confirm' | 'unmatch') =>
    sumOf(acts.filter((one) => one.rule === rule && one.action === action).map((one) => one.acts));
  const rules = matched_by
    .filter((rule) => !no_match.has(rule))
    .map((rule) => ({
      rule,
      authorization_matches: matchesOf(rule, 'authorization'),
      statement_matches: matchesOf(rule, 'statement'),
      confirmed: actsOf(rule, 'confirm'),
      undone: actsOf(rule, 'unmatch'),
    }))
    .filter(({ rule: _, ...numbers }) => Object.values(numbers).some((number) => number > 0));
  const matches = sumOf(rules.map((one) => one.authorization_matches + one.statement_matches));
  const by_hand = matchesOf('person', 'authorization') + matchesOf('person', 'statement');
  const items_untouched = matchesOf(null, 'item');
  const items = items_untouched + matchesOf('person', 'item');
  const all = (action: 'confirm' | 'unmatch') =>
    sumOf(acts.filter((one) => one.action === action).map((one) => one.acts));
  return {
    rules,
    matches,
    share_without_person: shareOf(matches - by_hand, matches),
    tolerated: matchesOf('tolerance', 'authorization') + matchesOf('tolerance', 'statement'),
    confirmed: all('confirm'),
    undone: all('unmatch'),
    items,
    items_untouched,
    share_untouched: shareOf(items_untouched, items),
  };
}

/** Rounded down to 4 places, so that all but one is never 1. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part / whole) * 10_000) / 10_000;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
