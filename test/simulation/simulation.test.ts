import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { test_seed, testRuns, usual_seed } from '@tallystick/test-support';
import { commandOf } from './minimise.ts';
import { type SimulationOptions, type SimulationResult, simulate } from './run.ts';
import { runSeeds, type SeedRun } from './workers.ts';

/** A run that has shown a fault once. */
interface KeptSeed {
  readonly options: SimulationOptions;
  readonly showed: string;
}

const kept_seeds = globSync('seeds/*.json', { cwd: fileURLToPath(new URL('.', import.meta.url)) }).toSorted();

function assertPassed({ options, violations }: SimulationResult): void {
  const found = violations.map(({ by, problem }) => `${by}: ${problem}`).join('\n');
  assert.equal(found, '', `${commandOf({ ...options, draws_faults: false })}\n${found}`);
}

describe('the simulation', () => {
  it('prints one hash for a seed in two processes, and another for another seed', async () => {
    const small = { days: 2, activities_max: 60 };
    const hashes: string[] = [];
    const keep = ({ result }: SeedRun): void => void hashes.push(result.hash);
    await runSeeds([{ ...small, seed: test_seed }], 1, keep);
    const again = [test_seed, test_seed + 1].map((seed) => ({ ...small, seed }));
    await runSeeds(again, 1, keep);
    assert.equal(hashes[0], hashes[1]);
    assert.notEqual(hashes[0], hashes[2]);
  });

  for (const path of kept_seeds) {
    it(`passes with the kept seed ${path}`, async () => {
      const { options } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as KeptSeed;
      assertPassed(await simulate(options));
    });
  }

  it('breaks no invariant in any seed', async () => {
    const seeds = { short: 4, full: 8 };
    const count = testRuns(seeds);
    const reached = new Set<string>();
    for (let seed = test_seed; seed < test_seed + count; seed += 1) {
      const result = await simulate({ seed, days: 4, activities_max: 60 });
      assertPassed(result);
      for (const what of result.reached.keys()) reached.add(what);
    }
    // Another seed, or fewer of them, may not draw every fault.
    if (test_seed !== usual_seed || count < seeds.short) return;
    for (const what of ['authorize: done', 'clear: done', 'createCard: done', 'fault: dies before transaction']) {
      assert.ok(reached.has(what), `${what} was not reached`);
    }
  });
});
