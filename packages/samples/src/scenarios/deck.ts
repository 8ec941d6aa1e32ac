import type { FormatAbilities } from '../format-abilities.ts';
import { credit_scenarios } from './credits.ts';
import { fault_scenarios } from './faults.ts';
import { plain_purchase, purchase_scenarios } from './purchases.ts';
import { reference_scenarios } from './references.ts';
import type { ScenarioKind } from './scenario.ts';
import { statement_scenarios } from './statement-scenarios.ts';

export const scenario_kinds: readonly ScenarioKind[] = [
  ...purchase_scenarios,
  ...reference_scenarios,
  ...credit_scenarios,
  ...fault_scenarios,
];

/** The kinds of a set with statements. */
export const stated_scenario_kinds: readonly ScenarioKind[] = [...scenario_kinds, ...statement_scenarios];

export const deck_records = 200;

/**
 * The scenarios of a set, in decks of 200 records that have every kind that the format can state.
 * Any of them is found without those before it.
 */
export interface Deck {
  /** How many scenarios the set has. */
  readonly scenarios: number;
  kindOf(scenario: number): ScenarioKind;
  /** The scenarios of each deck begin here. */
  readonly deck_scenarios: number;
}

/**
 * `records`: how many clearings the set has. The last deck may be a part of one. `is_stated`: also
 * with the kinds that are about statements.
 */
export function createDeck(able: FormatAbilities, records: number, is_stated = false): Deck {
  const whole = wholeDeck(able, is_stated ? stated_scenario_kinds : scenario_kinds);
  const whole_decks = Math.floor(records / deck_records);
  const rest = restOf(whole, able, records % deck_records);
  const begun = whole_decks * whole.length;
  return {
    scenarios: begun + rest.length,
    deck_scenarios: whole.length,
    kindOf: (scenario) => (scenario < begun ? whole[scenario % whole.length]! : rest[scenario - begun]!),
  };
}

function wholeDeck(able: FormatAbilities, all: readonly ScenarioKind[]): readonly ScenarioKind[] {
  const possible = all.filter((kind) => kind.records(able) !== null);
  const kinds = possible.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const records = kinds.reduce((sum, kind) => sum + (kind.records(able) ?? 0), 0);
  if (records > deck_records) throw new RangeError(`the scenarios of a deck have ${records} records`);
  kinds.push(...plainPurchases(deck_records - records));
  return mixed(kinds);
}

/** Scenarios of a deck as far as their records fit, filled with plain purchases. */
function restOf(whole: readonly ScenarioKind[], able: FormatAbilities, records: number): readonly ScenarioKind[] {
  const kinds: ScenarioKind[] = [];
  let left = records;
  for (const kind of whole) {
    const count = kind.records(able) ?? 0;
    if (left === 0) break;
    if (count > left) continue;
    kinds.push(kind);
    left -= count;
  }
  kinds.push(...plainPurchases(left));
  return kinds;
}

function plainPurchases(count: number): readonly ScenarioKind[] {
  return Array.from({ length: count }, () => plain_purchase);
}

/** Spreads the scenarios of one kind over the deck, always in the same way. */
function mixed(kinds: readonly ScenarioKind[]): readonly ScenarioKind[] {
  const step = [37, 41, 43, 47].find((step) => kinds.length % step !== 0) ?? 1;
  return kinds.map((_, place) => kinds[(place * step) % kinds.length]!);
}
