import { test } from 'node:test';
import { fault_names, runModel } from '@tallystick/harness';
import { database_names, test_seed, testRuns } from '@tallystick/test-support';
import { repeatOn, type StorageName, serviceOn } from './service.ts';

const sequences = {
  memory: { short: 100, full: 100 },
  sqlite: { short: 30, full: 60 },
  postgres: { short: 6, full: 25 },
};

/**
 * The seed of the sequences in memory. The usual share of them has to reach every case, whatever the
 * seed of the run.
 */
const covering_seed = 6;

for (const [place, name] of (['memory', ...database_names] satisfies StorageName[]).entries()) {
  test(`the service on ${name} and the reference model agree over random sequences`, async () => {
    const service = await serviceOn(name);
    try {
      const seed = place === 0 ? covering_seed : test_seed + place;
      const runs = testRuns(sequences[name]);
      const is_usual = place === 0 && runs >= sequences.memory.short;
      const demand = is_usual ? { demand: 'all' as const } : {};
      await runModel({ system: service.system, runs, seed, repeat: repeatOn(name), ...demand });
    } finally {
      await service.close();
    }
  });
}

const sequences_with_faults = {
  memory: { short: 40, full: 80 },
  sqlite: { short: 10, full: 40 },
  postgres: { short: 4, full: 20 },
};

/** The usual share reaches every fault point with it on memory. */
const faulty_seed = 17;

for (const [place, name] of (['memory', ...database_names] satisfies StorageName[]).entries()) {
  test(`the service on ${name} agrees with the model when it crashes and answers are lost`, async () => {
    const service = await serviceOn(name);
    try {
      const runs = testRuns(sequences_with_faults[name]);
      const seed = faulty_seed + place;
      const is_usual = place === 0 && runs >= sequences_with_faults.memory.short;
      await runModel({
        system: service.system,
        runs,
        seed,
        faults: fault_names,
        repeat: repeatOn(name, { has_faults: true }),
        ...(is_usual ? { demand: { fault_points: 'all' as const } } : {}),
      });
    } finally {
      await service.close();
    }
  });
}
