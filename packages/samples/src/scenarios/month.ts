import type { FormatAbilities } from '../format-abilities.ts';
import { break_scenarios } from './break-scenarios.ts';
import type { Deck } from './deck.ts';
import { stated_scenario_kinds } from './deck.ts';
import type { ScenarioKind } from './scenario.ts';

/** Holds are shorter than by default, so that a month can be closed soon after its end. */
export const month_hold_days = 7;

/** Days from the last authorization to the last settlement of a month. */
const settlement_days_max = 3;

/** By so many days after the last authorization all that is missing is a break. */
const days_until_due = 8;

/** The purchases of a month that are no breaks, as often as they are named. */
const plain_names = [
  ...['purchase', 'requested_purchase', 'purchase', 'foreign_purchase', 'purchase', 'tip', 'purchase', 'under'],
  ...['purchase', 'requested_purchase', 'purchase_with_fee', 'purchase', 'exchange_rate_moved', 'purchase'],
  ...['two_parts', 'purchase', 'refund_by_reference', 'purchase', 'increased_before_clearing', 'purchase'],
  ...['lowered_before_clearing', 'purchase', 'reversed', 'purchase', 'reversal', 'purchase', 'declined'],
];

/** A month of purchases, in the order of their days. */
export interface Month extends Deck {
  /** Days from the first day to that of a purchase. */
  offsetOf(scenario: number): number;
  /** Days from the first day to that of what comes after the month was closed, and of the answers. */
  readonly late_offset: number;
  /** Days from the first day to the last one with a settlement: the end of the period. */
  readonly last_settlement_offset: number;
}

/**
 * `breaks`: the share of the purchases that are breaks, 0 to 1. Each kind of break has an equal
 * part of them, and each cause of a kind an equal part of these.
 */
export function createMonth(
  able: FormatAbilities,
  { purchases, days, breaks }: { readonly purchases: number; readonly days: number; readonly breaks: number },
): Month {
  const isPossible = (kind: ScenarioKind): boolean => kind.records(able) !== null;
  const causes = break_scenarios.map((of_kind) => of_kind.filter(isPossible));
  const plain = plain_names.map((name) => stated_scenario_kinds.find((kind) => kind.name === name)!).filter(isPossible);
  // Whole numbers, so that no rounding loses a break.
  const millionths = Math.round(breaks * 1_000_000);
  const breaksBefore = (scenario: number): number => Math.floor((scenario * millionths) / 1_000_000);
  // Each break has as many purchases around it, and is on another card than the one before.
  const firstAround = (number: number): number => Math.ceil((number * 1_000_000) / millionths);
  const placeOf = (number: number): number => {
    const first = firstAround(number);
    return first + ((number * 37) % (firstAround(number + 1) - first));
  };
  const breakKindOf = (number: number): ScenarioKind => {
    const of_kind = causes[number % causes.length]!;
    return of_kind[Math.floor(number / causes.length) % of_kind.length]!;
  };
  return {
    scenarios: purchases,
    deck_scenarios: 1,
    kindOf(scenario) {
      const number = breaksBefore(scenario);
      return number < breaksBefore(purchases) && placeOf(number) === scenario
        ? breakKindOf(number)
        : plain[(scenario - number) % plain.length]!;
    },
    offsetOf: (scenario) => Math.floor((scenario * days) / purchases),
    late_offset: days - 1 + days_until_due,
    last_settlement_offset: days - 1 + settlement_days_max,
  };
}
