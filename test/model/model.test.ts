import { test } from 'node:test';
import { runModel } from '@tallystick/harness';
import { database_names, test_seed, testRuns } from '@tallystick/test-support';
import { serviceOn } from './service.ts';

const sequences = {
  sqlite: { short: 100, full: 1_000 },
  postgres: { short: 20, full: 200 },
};

for (const name of database_names) {
  test(`the service on ${name} and the reference model agree over random sequences`, async () => {
    const service = await serviceOn(name);
    try {
      await runModel({ system: service.system, runs: testRuns(sequences[name]), seed: test_seed });
    } finally {
      await service.close();
    }
  });
}
