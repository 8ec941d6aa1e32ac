import { test } from 'node:test';
import { runModel } from '@tallystick/harness';
import { database_names, test_seed, testRuns } from '@tallystick/test-support';
import { type StorageName, serviceOn } from './service.ts';

const sequences = {
  memory: { short: 100, full: 300 },
  sqlite: { short: 100, full: 1_000 },
  postgres: { short: 20, full: 200 },
};

for (const name of ['memory', ...database_names] satisfies StorageName[]) {
  test(`the service on ${name} and the reference model agree over random sequences`, async () => {
    const service = await serviceOn(name);
    try {
      await runModel({ system: service.system, runs: testRuns(sequences[name]), seed: test_seed });
    } finally {
      await service.close();
    }
  });
}
