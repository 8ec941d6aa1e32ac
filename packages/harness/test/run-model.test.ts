import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { test_seed, testRuns } from '@tallystick/test-support';
import {
  type ClearingView,
  type CommandName,
  capabilitiesOf,
  checkModel,
  runModel,
  type System,
  type SystemStart,
} from '../src/index.ts';
import { modelAsSystem } from './model-as-system.ts';

test('the model agrees with itself over random sequences', async () => {
  const runs = testRuns({ short: 200, full: 400 });
  const result = await runModel({ system: async ({ start_ms }) => modelAsSystem(start_ms), runs, seed: test_seed });
  assert.deepEqual([result.failed, result.runs, result.seed], [false, runs, test_seed]);
});

for (const name of ['billing_amount', 'transaction_date_time'] as const) {
  test(`a system to which a message is new when its ${name} is written otherwise is caught`, async () => {
    const system = async ({ start_ms }: SystemStart): Promise<System> => {
      const system = modelAsSystem(start_ms);
      const seen = new Map<string, unknown>();
      return {
        ...system,
        authorize: (message) => {
          const key = `${message.trace_id} ${message.system_trace_audit_number}`;
          const is_other = seen.has(key) && seen.get(key) !== message[name];
          if (!is_other) seen.set(key, message[name]);
          return system.authorize(is_other ? { ...message, system_trace_audit_number: 'other' } : message);
        },
      };
    };
    const { report } = await checkModel({ system, runs: 100, seed: 1, shrink_sequences_max: 0 });
    assert.match(String(report), /The same message again .* gets the first answer and changes nothing/);
  });
}

test('the same seed sends the same messages', async () => {
  const sent = async () => {
    const log: string[] = [];
    const tap = async ({ start_ms }: SystemStart): Promise<System> => {
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
  const keepHolds = async ({ start_ms }: SystemStart): Promise<System> => {
    const system = modelAsSystem(start_ms);
    return { ...system, cancelCard: async () => ({ kind: 'done', value: null }) };
  };
  const result = await checkModel({ system: keepHolds, runs: 100, seed: 4, commands: { exclude: ['race'] } });
  assert.equal(result.failed, true);
  assert.match(result.report!, /runs: 1, seed: 4, path: '\d/);
  assert.match(result.report!, /card \d+ as read at .*: status/);
  assert.equal(result.steps.filter((step) => step.startsWith('cancel')).length, 1, result.report!);
  assert.ok(result.steps.length <= 4, result.report!);

  const at_once = /path: '([^']*)', replay_path: '([^']*)'/.exec(result.report!)!;
  const again = await checkModel({
    system: keepHolds,
    runs: 1,
    seed: 4,
    commands: { exclude: ['race'] },
    path: at_once[1]!,
    replay_path: at_once[2]!,
  });
  assert.equal(again.failed, true);
  assert.deepEqual(again.steps, result.steps);
});

test('a system needs only to create cards, read them and authorize', async () => {
  const called = new Set<string>();
  const { coverage } = await runModel({
    runs: 50,
    seed: test_seed,
    system: async ({ start_ms }) => {
      const { world, createCard, readCard, authorize, close } = modelAsSystem(start_ms);
      return {
        world,
        createCard: (request) => {
          called.add('createCard');
          return createCard(request);
        },
        readCard: (id) => {
          called.add('readCard');
          return readCard(id);
        },
        authorize: (message) => {
          called.add('authorize');
          return authorize(message);
        },
        close,
      };
    },
  });
  assert.deepEqual([...called].toSorted(), ['authorize', 'createCard', 'readCard']);
  assert.ok(coverage.reasons.V! > 0 && coverage.cases['reversal: in full']! > 0, JSON.stringify(coverage));
});

test('each capability may be absent', async () => {
  const whole = modelAsSystem(0);
  for (const absent of capabilitiesOf(whole)) {
    await runModel({
      runs: 20,
      seed: test_seed,
      system: async ({ start_ms }) => {
        const { [absent]: _absent, ...system } = modelAsSystem(start_ms);
        return system as System;
      },
    });
  }
});

test('what a system does not report of a clearing is not compared, and the rest is', async () => {
  const run = (changes: Partial<ClearingView>) =>
    checkModel({
      runs: 20,
      seed: 5,
      commands: { include: ['authorize', 'clear'] },
      shrink_sequences_max: 0,
      system: async ({ start_ms }) => {
        const system = modelAsSystem(start_ms);
        return {
          ...system,
          clear: async (message) => {
            const answer = await system.clear(message);
            return answer.kind === 'refused' ? answer : { kind: 'done', value: { ...answer.value, ...changes } };
          },
        };
      },
    });
  const unreported = { class: null, match_rule: null, review: null };
  assert.equal((await run(unreported)).report, null);
  assert.match((await run({ ...unreported, class: 'lost' })).report!, /: class\n/);
  assert.match((await run({ ...unreported, authorization_id: null })).report!, /: authorization_id\n/);
});

test('a system that begins elsewhere is moved forward to an instant of the planned kind', async () => {
  const begins_ms = Temporal.Instant.from('2030-06-15T12:00:00Z').epochMilliseconds;
  const planned: string[] = [];
  const first_moves: string[] = [];
  await runModel({
    runs: 20,
    seed: 5,
    commands: { include: ['authorize'] },
    system: async ({ start_ms }) => {
      planned.push(dayAndTime(start_ms));
      const system = modelAsSystem(begins_ms);
      return {
        ...system,
        advanceClock: async (to_ms) => {
          assert.ok(to_ms > begins_ms);
          first_moves.push(dayAndTime(to_ms));
          await system.advanceClock(to_ms);
        },
      };
    },
  });
  assert.deepEqual(first_moves, planned);
});

test('the included and excluded commands are those that run', async () => {
  const sent: string[] = [];
  const system = async ({ start_ms }: SystemStart): Promise<System> => {
    const whole = modelAsSystem(start_ms);
    const note = (what: string) => {
      if (!sent.includes(what)) sent.push(what);
    };
    return {
      ...whole,
      authorize: (message) => {
        note('authorize');
        return whole.authorize(message);
      },
      clear: (message) => {
        note('clear');
        return whole.clear(message);
      },
      cancelCard: (id) => {
        note('cancel');
        return whole.cancelCard(id);
      },
    };
  };
  await runModel({ system, runs: 20, seed: 6, commands: { include: ['authorize', 'clear'], exclude: ['authorize'] } });
  assert.deepEqual(sent, ['clear']);
});

test('an unknown command is refused with the name that was probably meant', async () => {
  const run = (name: string) =>
    checkModel({
      system: async ({ start_ms }) => modelAsSystem(start_ms),
      runs: 1,
      commands: { exclude: [name as CommandName] },
    });
  await assert.rejects(run('udpate card'), { message: 'no command is named udpate card: did you mean update card?' });
  await assert.rejects(
    run('teleport'),
    /^TypeError: no command is named teleport: the commands are authorize, clear, /,
  );
});

test('the seed of a sequence reaches the system, also when the sequence is replayed', async () => {
  const seeds: number[] = [];
  const system = async ({ start_ms, seed }: SystemStart): Promise<System> => {
    seeds.push(seed);
    return { ...modelAsSystem(start_ms), cancelCard: async () => ({ kind: 'done', value: null }) };
  };
  const { report } = await checkModel({ system, runs: 100, seed: 4 });
  const [, path, replay_path] = /path: '([^']*)', replay_path: '([^']*)'/.exec(report!)!;
  const failing_seed = seeds.at(-1);
  seeds.length = 0;
  await checkModel({ system, runs: 1, seed: 4, path: path!, replay_path: replay_path! });
  assert.deepEqual(new Set(seeds), new Set([failing_seed]));
});

/** In UTC, without the year and the month. */
function dayAndTime(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toString().slice('YYYY-MM-'.length);
}

test('a system without a required member is refused with its name', async () => {
  const system = async ({ start_ms }: SystemStart) => {
    const { authorize: _, ...rest } = modelAsSystem(start_ms);
    const { templates: __, ...world } = rest.world;
    return { ...rest, world } as unknown as System;
  };
  await assert.rejects(runModel({ system, runs: 1 }), {
    message: 'no sequence could be run: TypeError: the system lacks authorize, world.templates',
  });
});

test('a run without sequences or with an unknown fault is refused', async () => {
  const system = async ({ start_ms }: SystemStart) => modelAsSystem(start_ms);
  for (const runs of [0, 1.5, Number('ten')])
    await assert.rejects(runModel({ system, runs }), {
      message: `runs is ${runs}: it must be a whole number of at least 1`,
    });
  const faults = ['crashes'] as unknown as ['crash'];
  await assert.rejects(runModel({ system, runs: 1, faults }), {
    message: 'no fault is named crashes: did you mean crash?',
  });
});
