export type FactValue = number | string | null;

/**
 * What a decision was made from, as its authorization keeps it. The versions are those of the
 * card's controls and of its template. `asked` is the amount that the limits compared,
 * `increment_of` the authorized sum of the root that it adds to. `held`, `cleared` and `uses` are
 * those of its window before it. `limits` are those of its outcome (`Outcome.limits`), in their
 * order. A list, because every authorization has one.
 */
export type DecisionFacts = readonly [
  controls_version: number,
  template_version: number,
  asked: number,
  increment_of: number | null,
  held: number,
  cleared: number,
  uses: number,
  ...limits: readonly FactValue[],
];

/** Of a message that compared nothing. */
export const no_facts: DecisionFacts = [0, 0, 0, null, 0, 0, 0];

/** A fact as callers see it: an amount in minor units of the limit currency, a number or a text. */
export interface Fact {
  readonly name: string;
  readonly value: number | string;
}
