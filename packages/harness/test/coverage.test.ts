import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrashReport, checkModel, runModel, type System, type SystemStart } from '../src/index.ts';
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

test('a point before or after a commit is demanded of a system whose crash reports it', async () => {
  const run = (report: CrashReport | undefined) =>
    checkModel({
      system: async ({ start_ms }) => ({ ...modelAsSystem(start_ms), crash: async () => report }),
      runs: 20,
      seed: 1,
      commands: { include: ['authorize', 'crash'] },
      faults: ['crash'],
      demand: { fault_points: 'all' },
    });
  const points = async (report?: CrashReport) => Object.keys((await run(report)).coverage.fault_points);
  const [before, after] = ['crash: before a commit', 'crash: after a commit'];
  assert.deepEqual(
    (await points()).filter((point) => point.endsWith('commit')),
    [],
  );
  assert.deepEqual(
    (await points({ committed: 1 })).filter((point) => point.endsWith('commit')),
    [after],
  );
  assert.ok((await points({ committed: 0, rolled_back: 1 })).includes(before!));
  const { report } = await run({ committed: 0, rolled_back: 1 });
  assert.match(report!, /fault points: (.*, )?crash: after a commit$/);
});

test('a replay of one sequence is not measured by the demand', async () => {
  const result = await checkModel({ system: whole, runs: 1, seed: 1, path: '0', demand: 'all' });
  assert.equal(result.failed, false, result.report!);
});
