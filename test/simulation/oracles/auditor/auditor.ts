import { newState, type State } from '@tallystick/memory';
import { type Check, type Invariant, type Observed, type Step, stepBetween } from './invariant.ts';
import { invariants } from './invariants.ts';

/** An invariant that does not hold. */
export interface Finding {
  readonly invariant: string;
  readonly problem: string;
}

/**
 * The auditor beside a run: it recomputes what is stored from what happened, by rules of its own,
 * and shares no code with the service. A step costs what changed in it.
 */
export class Auditor {
  readonly #observed: Observed;
  readonly #checks: readonly (readonly [Invariant, Check])[];
  #last: State = newState();

  constructor(observed: Observed, list: readonly Invariant[] = invariants) {
    this.#observed = observed;
    this.#checks = list.map((invariant) => [invariant, invariant.begin()]);
  }

  /** After a step of the run. */
  checkStep(): readonly Finding[] {
    const step = this.#step();
    return this.#find((check) => check.step?.(step) ?? []);
  }

  /** After the quiet phase at the end, when everything due is done. */
  checkEnd(): readonly Finding[] {
    const findings = this.checkStep();
    const step = this.#step();
    return [...findings, ...this.#find((check) => check.end?.(step) ?? [])];
  }

  #step(): Step {
    const before = this.#last;
    const { history, audit_mac, kept_days, ids_follow_commits } = this.#observed;
    const now_ms = this.#observed.nowMs();
    this.#last = this.#observed.committed();
    return stepBetween(before, this.#last, { history, audit_mac, kept_days, ids_follow_commits, now_ms });
  }

  #find(problemsOf: (check: Check) => Iterable<string>): readonly Finding[] {
    return this.#checks.flatMap(([{ name }, check]) =>
      [...problemsOf(check)].map((problem) => ({ invariant: name, problem })),
    );
  }
}
