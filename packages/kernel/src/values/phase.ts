import { assert } from '../errors.ts';

/** For each phase, those that may follow it. */
export type PhaseArrows<Name extends string> = Readonly<Record<Name, readonly NoInfer<Name>[]>>;

/** The phase of a module that is a state machine. */
export interface Phase<Name extends string> {
  is(name: Name): boolean;
  /**
   * Changes the phase. Throws a `Violation` when no arrow leads from the present phase to `next`.
   */
  enter(next: Name): void;
}

/**
 * A phase that begins with `first` and changes along the arrows only. `what` names the module in a
 * `Violation`.
 */
export function createPhase<Name extends string>(
  what: string,
  first: NoInfer<Name>,
  arrows: PhaseArrows<Name>,
): Phase<Name> {
  let present: Name = first;
  return {
    is: (name) => present === name,
    enter(next) {
      assert(arrows[present].includes(next), `${what} is ${present} and cannot become ${next}`);
      present = next;
    },
  };
}
