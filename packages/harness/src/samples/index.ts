export { deck_records, scenario_kinds } from './deck.ts';
export type * from './expected.ts';
export { type FormatAbilities, format_abilities } from './format-abilities.ts';
export * from './sample-set.ts';
export type {
  SampleAuthorization,
  SampleClearing,
  SampleClearingFields,
  SampleMessage,
  Scenario,
  ScenarioKind,
} from './scenario.ts';
export { billing_currency } from './scenario.ts';
