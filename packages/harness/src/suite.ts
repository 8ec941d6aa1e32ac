import { machine_timers } from '@tallystick/kernel';
import { type ContractRule, type Need, needs } from './contracts/rule.ts';
import { type ModelRun, runModel } from './run-model.ts';

/** One test of any test runner, or of none: `test(name, run)`. */
export interface SuiteCase {
  /** The rule. When the case is left out, also the reason. */
  readonly name: string;
  /** Whether the storage lacks what the rule needs. `run` then resolves without a check. */
  readonly is_left_out: boolean;
  /** Rejects when the rule is broken. */
  run(): Promise<void>;
}

export interface SuiteOptions {
  /** What the storage cannot do. The rules that need it are left out, and say so in their names. */
  readonly lacks?: readonly Need[];
  /** How long one rule may take, milliseconds; 5 minutes when absent. */
  readonly limit_ms?: number;
}

const limit_ms_default = 300_000;

/**
 * Returns the cases of a contract suite. They run one after another, in their order; each calls
 * `open`. A case that does not end within its limit rejects, and names what the storage may lack.
 */
export function casesOf<Subject>(
  suite: readonly ContractRule<Subject>[],
  open: () => Promise<Subject>,
  { lacks = [], limit_ms = limit_ms_default }: SuiteOptions = {},
): readonly SuiteCase[] {
  return suite.map(({ rule, needs: needed = [], check }) => {
    const missing = needed.filter((need) => lacks.includes(need));
    if (missing.length > 0) {
      const reasons = missing.map((need) => `${need}: ${needs[need]}`);
      return { name: `${rule} (left out without ${reasons.join('; ')})`, is_left_out: true, run: async () => {} };
    }
    const hint = needed.map((need) => `. The rule needs ${need}: ${needs[need]}`).join('');
    return { name: rule, is_left_out: false, run: () => within(limit_ms, check(open), hint) };
  });
}

/** Returns the comparison with the reference model as a case. */
export function modelCase(options: ModelRun): SuiteCase {
  const name = `the system and the reference model agree over ${options.runs} sequences`;
  return {
    name,
    is_left_out: false,
    async run() {
      await runModel(options);
    },
  };
}

export interface FailedCase {
  readonly name: string;
  readonly error: unknown;
}

/** Runs cases without a test runner, one after another, and resolves with those that failed. */
export async function runCases(cases: readonly SuiteCase[]): Promise<readonly FailedCase[]> {
  const failed: FailedCase[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      failed.push({ name, error });
    }
  }
  return failed;
}

async function within(limit_ms: number, checking: Promise<void>, hint: string): Promise<void> {
  const late = Promise.withResolvers<never>();
  const cancel = machine_timers.after(limit_ms, () =>
    late.reject(new Error(`the rule did not end within ${limit_ms} ms: a call to the storage waits${hint}`)),
  );
  try {
    await Promise.race([checking, late.promise]);
  } finally {
    cancel();
  }
}
