import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from './exit-cleanup.ts';
import { long_run, test_seed } from './run-size.ts';

/** What `crash-hook.ts` does in the process of a program. */
export interface CrashOrder {
  /** The file to which the phase of each commit is written. */
  readonly record?: string;
  /** A table that the transaction writes, without the prefix of our tables. */
  readonly phase?: string;
  /** Which commit of the phase, from 1. */
  readonly nth?: number;
  /** `before` the commit is sent, or `after` it, before the program knows of it. */
  readonly moment?: 'before' | 'after';
}

/** A program that is killed. `env` is added to its environment. */
export interface CrashSubject {
  /**
   * Runs the program until its work is done. Returns the signal that ended it; null when it came to
   * its end.
   */
  run(env: Readonly<Record<string, string>>): Promise<string | null>;
  /** Checks what is stored after a kill, and prepares the next run: its lease has ended. */
  afterKill?(killed: CrashOrder): Promise<void>;
}

const hook = new URL('crash-hook.ts', import.meta.url).href;

/** Chains of kills in the long run. */
const long_rounds = 50;

/** Returns the environment with which a program does what the order says. */
export function crashEnvironment(order: CrashOrder): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--conditions=source --import=${hook}`, TALLYSTICK_TEST_CRASH: JSON.stringify(order) };
}

/** Runs the program without a kill, and returns its phases in their order. */
export async function phasesOf(subject: CrashSubject): Promise<readonly string[]> {
  const folder = scratchFolder('tallystick-phases-');
  try {
    const record = join(folder, 'phases');
    assert.equal(await subject.run(crashEnvironment({ record })), null, 'the program ends without a kill');
    const phases = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
    return [...new Set(phases)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Kills the program in each phase, one run after another on the same database: before its first
 * commit of the phase, so that each run continues where the one before it was killed, and after the
 * commit of the last phase. The last run comes to its end. Returns the number of kills. Fails when
 * the program was not killed in a phase. The long run adds kills at other commits.
 */
export async function killInEachPhase(subject: CrashSubject, phases: readonly string[]): Promise<number> {
  let kills = 0;
  const kill = async (order: CrashOrder): Promise<boolean> => {
    const signal = await subject.run(crashEnvironment(order));
    if (signal === null) return false;
    assert.equal(signal, 'SIGKILL', `the program is killed in ${order.phase}`);
    kills += 1;
    await subject.afterKill?.(order);
    return true;
  };
  const killed: string[] = [];
  for (const phase of phases) if (await kill({ phase, nth: 1, moment: 'before' })) killed.push(phase);
  assert.deepEqual(killed, phases, 'it is killed in each of its phases');
  // What is stored after another commit is also stored before the next one.
  const last = phases.at(-1);
  if (last !== undefined) await kill({ phase: last, nth: 1, moment: 'after' });
  for (let round = 0; long_run && round < long_rounds; round += 1) {
    const draw = (test_seed + round * 7_919) % (phases.length * 4);
    const phase = phases[draw % phases.length] as string;
    await kill({ phase, nth: 1 + Math.floor(draw / phases.length), moment: round % 2 === 0 ? 'before' : 'after' });
  }
  assert.equal(await subject.run({}), null, 'the last run comes to its end');
  return kills;
}
