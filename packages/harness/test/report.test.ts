import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { checkModel, type System, type SystemStart } from '../src/index.ts';
import { type ModelSystem, modelAsSystem } from './model-as-system.ts';

interface Reproduction {
  reproduce(open: (start: SystemStart) => Promise<System>): Promise<void>;
}

/** What a host may have built wrong. */
interface Bug {
  readonly what: string;
  readonly seed: number;
  readonly plant: (system: ModelSystem) => Partial<System>;
  /** What the report has to say. */
  readonly says: readonly RegExp[];
}

const bugs: readonly Bug[] = [
  {
    what: 'a cancellation that is dropped',
    seed: 6,
    plant: () => ({ cancelCard: async () => ({ kind: 'done', value: null }) }),
    says: [
      /card \d+ as read at [^ ]*: status/,
      /A valid card is Approved, and a canceled one is Canceled. \(service specification 2.1\)/,
      /\d {2}cancelCard \d+\n {8}answer {2}null/,
      /card \d+: Approved, available balance 1, uses 0, .*\n {6}model: {2}Canceled, available balance 1, uses 0, /,
    ],
  },
  {
    what: 'a release of a hold that changes nothing',
    seed: 4,
    plant: () => ({ releaseHold: async () => ({ kind: 'done', value: null }) }),
    says: [
      /A hold can be ended by hand: .* \(decision: windows and holds\)/,
      /authorize \{.*"card_number":"\(number of card \d+\)"/,
    ],
  },
  {
    what: 'a hold that never ends',
    seed: 7,
    plant: ({ model }) => {
      model.hold_days = 'never';
      return { setHoldDays: async () => ({ kind: 'done', value: null }) };
    },
    says: [
      /balance\.next_hold_end_ms\n {2}the model says {2}\d+\n {2}the system says null\n/,
      /The balance is what is available, and its parts: .* \(service specification 2.1; /,
    ],
  },
  {
    what: 'a repeated message that is decided again',
    seed: 3,
    plant: (system) => ({
      authorize: (message) =>
        system.authorize({
          ...message,
          system_trace_audit_number: `${message.system_trace_audit_number}-${system.model.fresh()}`,
        }),
    }),
    says: [/The same message again .* gets the first answer and changes nothing. \(decision: network side, 5\)/],
  },
  {
    what: 'an approval without a code',
    seed: 6,
    plant: (system) => ({
      authorize: async (message) => {
        const answer = await system.authorize(message);
        return answer.kind === 'done' ? { kind: 'done', value: { ...answer.value, approval_code: null } } : answer;
      },
    }),
    says: [/approval_code\n {2}the model says {2}"\(six characters\)"\n {2}the system says null/],
  },
  {
    what: 'messages that are decided in the wrong order when they come together',
    seed: 10,
    plant: (system) => {
      let waiting: (() => void)[] = [];
      return {
        authorize: (message) =>
          new Promise((resolve, reject) => {
            waiting.push(() => system.authorize(message).then(resolve, reject));
            queueMicrotask(() => {
              const turns = waiting.toReversed();
              waiting = [];
              for (const decide of turns) decide();
            });
          }),
      };
    },
    says: [],
  },
  {
    what: 'events that are missing',
    seed: 8,
    plant: (system) => ({ events: async () => system.model.events.slice(0, 2) }),
    says: [/Each creation, change, cancellation, decision and clearing .* \(service specification 6\)/],
  },
  {
    what: 'a clearing that is applied again',
    seed: 9,
    plant: (system) => ({
      clear: ({ network_financial_transaction_id: id, ...message }) =>
        system.clear({ ...message, network_financial_transaction_id: `${id}-${system.model.fresh()}` }),
    }),
    says: [/decision: /],
  },
  {
    what: 'an update that leaves the amount of the card as it was',
    seed: 12,
    plant: (system) => ({
      updateCard: async (id, request) => {
        const { total_card_amount } = system.model.cards.find((card) => card.id === id)!.controls;
        const answer = await system.updateCard(id, request);
        await system.updateCard(id, { total_card_amount });
        return answer;
      },
    }),
    says: [/card \d+ as read at [^ ]*: total_card_amount\n {2}the model says {2}\d+\n {2}the system says \d+\n/],
  },
];

const folder = await mkdtemp(join(tmpdir(), 'reproduction-'));
after(() => rm(folder, { recursive: true }));

for (const [at, { what, seed, plant, says }] of bugs.entries()) {
  test(`the report of ${what} explains it, and its module reproduces it`, async () => {
    const withBug = async ({ start_ms }: SystemStart): Promise<System> => {
      const system = modelAsSystem(start_ms);
      return { ...system, ...plant(system) };
    };
    const reproduction_file = join(folder, `${at}.mjs`);
    const result = await checkModel({
      system: withBug,
      runs: 100,
      seed,
      writeReproduction: (text) => writeFile(reproduction_file, text),
    });
    const report = result.report!;
    for (const said of says) assert.match(report, said);
    assert.doesNotMatch(report, /4000000\d{9}/, 'the number of a card');
    assert.match(report, /the sequence began at 20\d\d-.*, and the system was opened with the seed -?\d+:/);
    assert.match(report, /repeat it: await runModel\(\{ \.\.\.options, runs: 1, seed: \d+, path: '/);

    assert.equal(await readFile(reproduction_file, 'utf8'), result.reproduction);
    assert.doesNotMatch(result.reproduction!, /^import|import\(|require\(/m);
    const { reproduce } = (await import(pathToFileURL(reproduction_file).href)) as Reproduction;
    await assert.rejects(reproduce(otherIds(withBug)), /^Error: step \d+: .*expected .*, but the system says /);
    await reproduce(otherIds(async ({ start_ms }) => modelAsSystem(start_ms)));
  });
}

test('the module of a sequence names the step at which a card is refused', async () => {
  const withoutCancellation = async ({ start_ms }: SystemStart): Promise<System> => {
    const system = modelAsSystem(start_ms);
    return { ...system, ...bugs[0]!.plant(system) };
  };
  const { reproduction } = await checkModel({ system: withoutCancellation, runs: 100, seed: bugs[0]!.seed });
  const file = join(folder, 'refused.mjs');
  await writeFile(file, reproduction!);
  const { reproduce } = (await import(pathToFileURL(file).href)) as Reproduction;
  const refusing = async ({ start_ms }: SystemStart): Promise<System> => ({
    ...modelAsSystem(start_ms),
    createCard: async () => ({ kind: 'refused', code: 'conflict', fields: [] }),
  });
  await assert.rejects(reproduce(refusing), /^Error: step 1: expected .* but the system says \{"kind":"refused"/);
});

test('a system that begins after the sequence is refused by its module', async () => {
  const { plant, seed } = bugs[0]!;
  const withBug = async ({ start_ms }: SystemStart): Promise<System> => {
    const system = modelAsSystem(start_ms);
    return { ...system, ...plant(system) };
  };
  const { reproduction } = await checkModel({ system: withBug, runs: 100, seed });
  const file = join(folder, 'late.mjs');
  await writeFile(file, reproduction!);
  const { reproduce } = (await import(pathToFileURL(file).href)) as Reproduction;
  await assert.rejects(
    reproduce(async ({ start_ms }) => modelAsSystem(start_ms + 1)),
    /the system begins at \d+, after \d+/,
  );
});

test('the report of an error of the system has its stack', async () => {
  const failing = async ({ start_ms }: SystemStart): Promise<System> => ({
    ...modelAsSystem(start_ms),
    authorize: async () => {
      throw new RangeError('the socket is closed');
    },
  });
  const { report, reproduction } = await checkModel({ system: failing, runs: 20, seed: 1 });
  assert.match(report!, /the system failed\nRangeError: the socket is closed\n {4}at /);
  assert.match(report!, /was not answered: RangeError: the socket is closed/);
  assert.match(reproduction!, /the socket is closed/);
});

/** The system after two cards and an authorization of others, so that it chooses other ids. */
function otherIds(open: (start: SystemStart) => Promise<System>): (start: SystemStart) => Promise<System> {
  return async (start) => {
    const system = await open(start);
    for (const total_card_amount of [10, 20]) await system.createCard({ total_card_amount });
    return {
      ...system,
      events: async () => (await system.events!()).slice(2),
    };
  };
}
