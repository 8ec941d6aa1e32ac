import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Case, cases, fault_names, fault_points, runModel } from '@tallystick/harness';
import { database_names, test_seed, testRuns } from '@tallystick/test-support';
import { repeatOn, type StorageName, serviceOn } from './service.ts';

const sequences = {
  memory: { short: 100, full: 200 },
  sqlite: { short: 30, full: 150 },
  postgres: { short: 6, full: 50 },
};

/**
 * The seed of the first sequences: the usual share reaches every case with it, whatever the seed of
 * the run.
 */
const covering_seed = 23;

const reached = new Map<Case, number>();

for (const [place, name] of (['memory', ...database_names] satisfies StorageName[]).entries()) {
  test(`the service on ${name} and the reference model agree over random sequences`, async () => {
    const service = await serviceOn(name);
    try {
      const seed = place === 0 ? covering_seed : test_seed + place;
      const runs = testRuns(sequences[name]);
      const result = await runModel({ system: service.system, runs, seed, repeat: repeatOn(name) });
      for (const reachable of cases) {
        reached.set(reachable, (reached.get(reachable) ?? 0) + result.reached[reachable]);
      }
    } finally {
      await service.close();
    }
  });
}

const sequences_with_faults = {
  memory: { short: 40, full: 200 },
  sqlite: { short: 10, full: 100 },
  postgres: { short: 4, full: 50 },
};

/** The usual share reaches every fault point with it on memory. */
const faulty_seed = 8;

for (const [place, name] of (['memory', ...database_names] satisfies StorageName[]).entries()) {
  test(`the service on ${name} agrees with the model when it crashes and answers are lost`, async () => {
    const service = await serviceOn(name);
    try {
      const runs = testRuns(sequences_with_faults[name]);
      const seed = faulty_seed + place;
      const { faults } = await runModel({
        system: service.system,
        runs,
        seed,
        faults: fault_names,
        repeat: repeatOn(name, { has_faults: true }),
      });
      const missed = fault_points.filter((point) => faults[point] === 0);
      if (name === 'memory' && runs >= sequences_with_faults.memory.short) assert.deepEqual(missed, []);
    } finally {
      await service.close();
    }
  });
}

test('these sequences reach every case of the specification', (t) => {
  if (testRuns(sequences.memory) < sequences.memory.short) {
    t.skip('fewer sequences than the usual share');
    return;
  }
  assert.deepEqual(
    cases.filter((reachable) => (reached.get(reachable) ?? 0) === 0),
    [],
  );
});
