import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkModel, runModel, type System, type SystemStart } from '../src/index.ts';
import { modelAsSystem } from './model-as-system.ts';

const whole = async ({ start_ms }: SystemStart): Promise<System> => modelAsSystem(start_ms);

test('a run that reaches less than it must fails, and names what it did not reach by kind', async () => {
  const result = await checkModel({
    system: whole,
    runs: 5,
    seed: 1,
    commands: { include: ['authorize', 'clear'] },
    demand: { reasons: ['V', 'G', 'K'], classes: 'all', cases: ['by hand: a match', 'reversal: in full'] },
  });
  assert.equal(result.failed, true);
  assert.match(result.report!, /^5 sequences of the seed 1 did not reach what was demanded\n {2}reasons: (G, )?K\n/);
  assert.match(result.report!, /\n {2}classes: \w+(, \w+)*\n/);
  assert.match(result.report!, /\n {2}cases: by hand: a match, reversal: in full$/);
  assert.equal(result.reproduction, null);
});

test('what needs an absent capability is not demanded', async () => {
  const { coverage } = await runModel({
    system: async ({ start_ms }) => {
      const { world, createCard, readCard, authorize, close } = modelAsSystem(start_ms);
      return { world, createCard, readCard, authorize, close };
    },
    runs: 400,
    seed: 20260,
    demand: 'all',
  });
  assert.deepEqual(coverage.classes, {});
  assert.ok(!('K' in coverage.reasons) && !('B' in coverage.reasons));
  assert.ok(coverage.reasons.F! > 0 && coverage.cases['early reversal: in part']! > 0);
});

test('what the commands and messages of a run cannot reach is not demanded', async () => {
  const { coverage } = await runModel({
    system: whole,
    runs: 200,
    seed: 1,
    commands: {
      include: ['authorize', 'create card', 'move the clock', 'reverse', 'lose answers'],
      exclude: ['reverse'],
    },
    messages: { include: ['request'] },
    demand: { cases: [] },
  });
  const names = Object.values(coverage).flatMap((kind) => Object.keys(kind));
  for (const present of ['F', 'open', 'expired', 'declined']) assert.ok(names.includes(present), present);
  for (const absent of [
    'U',
    'cleared',
    'reversed',
    'reversal: in full',
    'advice: of a decline',
    'codes: the tenth wrong one',
    'by hand: a match',
  ]) {
    assert.ok(!names.includes(absent), absent);
  }
  assert.deepEqual(coverage.fault_points, {});
});

test('a replay of one sequence is not measured by the demand', async () => {
  const result = await checkModel({ system: whole, runs: 1, seed: 1, path: '0', demand: 'all' });
  assert.equal(result.failed, false, result.report!);
});
