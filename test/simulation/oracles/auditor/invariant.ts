import type { AuditMac, RetentionKind } from '@tallystick/kernel';
import type { State, Table, TableChange } from '@tallystick/memory';
import type { History } from '../../history.ts';

/** How far the clocks of two processes may be apart, milliseconds. */
export const skew_ms_max = 5_000;

/** What the oracles see of a run. */
export interface Observed {
  readonly history: History;
  /** Simulated time. */
  nowMs(): number;
  committed(): State;
  /** The key of the audit chain, as the installation has it. */
  readonly audit_mac: AuditMac;
  /** For how many days rows are kept, by kind; of others nothing is said. */
  readonly kept_days: Readonly<Partial<Record<RetentionKind, number>>>;
  /**
   * Whether ids of events are in the order of the commits. Postgres draws them before: there only
   * those of one card are.
   */
  readonly ids_follow_commits: boolean;
}

type ChangesOf<Of> = Of extends Table<infer Row, infer Key> ? readonly TableChange<Row, Key>[] : never;

/** What was committed since the last step, and how everything is now. */
export interface Step extends Omit<Observed, 'nowMs' | 'committed'> {
  readonly now_ms: number;
  readonly before: State;
  readonly state: State;
  changes<Name extends keyof State>(table: Name): ChangesOf<State[Name]>;
}

/** The problems of a step, one line each; none: the invariant holds. */
export type Problems = Iterable<string>;

/** The check of one run. It may remember what earlier steps showed. */
export interface Check {
  /** After every step, by what changed in it. */
  step?(step: Step): Problems;
  /** After the quiet phase at the end of a run: everything due is done. */
  end?(step: Step): Problems;
}

/** What must hold whatever happens, by the specification alone. */
export interface Invariant {
  readonly name: string;
  readonly says: string;
  begin(): Check;
}

/** The changes between two committed states; each table is compared once, when it is asked for. */
export function stepBetween(before: State, state: State, around: Omit<Step, 'before' | 'state' | 'changes'>): Step {
  const known = new Map<keyof State, unknown>();
  return {
    ...around,
    before,
    state,
    changes<Name extends keyof State>(name: Name): ChangesOf<State[Name]> {
      if (!known.has(name))
        known.set(name, (state[name] as Table<unknown>).changesSince(before[name] as Table<unknown>));
      return known.get(name) as ChangesOf<State[Name]>;
    },
  };
}
