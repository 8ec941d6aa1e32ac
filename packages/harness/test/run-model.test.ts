import assert from 'node:assert/strict';
import { test } from 'node:test';
import { test_seed, testRuns } from '@tallystick/test-support';
import { checkModel, runModel, type System } from '../src/index.ts';
import { modelAsSystem } from './model-as-system.ts';

test('the model agrees with itself over random sequences', async () => {
  const runs = testRuns({ short: 200, full: 400 });
  const result = await runModel({ system: async (start_ms) => modelAsSystem(start_ms), runs, seed: test_seed });
  assert.deepEqual([result.failed, result.runs, result.seed], [false, runs, test_seed]);
});

test('the same seed sends the same messages', async () => {
  const sent = async () => {
    const log: string[] = [];
    const tap = async (start_ms: number): Promise<System> => {
      const system = modelAsSystem(start_ms);
      const note = (what: unknown) => log.push(JSON.stringify(what).replaceAll(system.world.tag, ''));
      return {
        ...system,
        authorize: (message) => {
          note(message);
          return system.authorize(message);
        },
        clear: (message) => {
          note(message);
          return system.clear(message);
        },
      };
    };
    await runModel({ system: tap, runs: 20, seed: 11 });
    return log;
  };
  const first = await sent();
  assert.ok(first.length > 50, `only ${first.length} messages`);
  assert.deepEqual(await sent(), first);
});

test('a difference is reported with its seed, its path and its shortest sequence, and can be reproduced', async () => {
  const keepHolds = async (start_ms: number): Promise<System> => {
    const system = modelAsSystem(start_ms);
    return { ...system, cancelCard: async () => ({ kind: 'done', value: null }) };
  };
  const result = await checkModel({ system: keepHolds, runs: 100, seed: 4 });
  assert.equal(result.failed, true);
  assert.match(result.report!, /seed 4, path \d/);
  assert.match(result.report!, /card \d+ as read at .*: status/);
  assert.equal(result.steps.filter((step) => step.startsWith('cancel')).length, 1, result.report!);
  assert.ok(result.steps.length <= 4, result.report!);

  const at_once = /--path '([^']*)' --replay-path '([^']*)'/.exec(result.report!)!;
  const again = await checkModel({
    system: keepHolds,
    runs: 1,
    seed: 4,
    path: at_once[1]!,
    replay_path: at_once[2]!,
  });
  assert.equal(again.failed, true);
  assert.deepEqual(again.steps, result.steps);
});
