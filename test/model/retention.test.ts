import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, type CardView, runModel } from '@tallystick/harness';
import { database_names, test_seed, testRuns } from '@tallystick/test-support';
import { type ServiceSystem, type StorageName, type StorageOfSystem, serviceOn } from './service.ts';

const kinds = ['clearings', 'authorizations'] as const;

/** Most of them in memory, where a sequence takes a tenth of the time. */
const sequences = {
  memory: { short: 40, full: 120 },
  sqlite: { short: 6, full: 12 },
  postgres: { short: 2, full: 4 },
};

/** The sequences that share a storage. In memory each reduction examines all that is stored. */
const sharing = 20;

/** How often a run came to something that retention could change. */
interface Reached {
  reduced: number;
  /**
   * Answers that name a reduced record: to repeated messages, and to clearings that matched one.
   */
  named: number;
}

/**
 * The system, which reduces before every message all that holds nothing, whatever its age. The
 * lists of a card are not reported, because reduced records have left them.
 */
function reducing(system: ServiceSystem, { unitOfWork, now }: StorageOfSystem, reached: Reached): ServiceSystem {
  const reduced = { authorizations: new Set<number>(), clearings: new Set<number>() };
  const first = { authorizations: 0, clearings: 0 };
  let last = Promise.resolve();

  /** One reduction at a time, so that messages that are sent together keep their order. */
  function reduce(): Promise<void> {
    last = last.then(reduceNow);
    return last;
  }

  async function reduceNow(): Promise<void> {
    const bounds = { before_ms: now() + 1, now_ms: now() };
    for (const kind of kinds) {
      // Records of earlier sequences have other clocks.
      if (first[kind] === 0) continue;
      const { rows } = await unitOfWork.read((tx) => tx.retention.due(kind, bounds, first[kind] - 1));
      if (rows.length === 0) continue;
      reached.reduced += await unitOfWork.run((tx) => tx.retention.remove(kind, bounds, rows));
      for (const { id } of rows) reduced[kind].add(Number(id));
    }
  }

  function note(kind: (typeof kinds)[number], id: number | null): void {
    if (id === null) return;
    if (first[kind] === 0) first[kind] = id;
    if (reduced[kind].has(id)) reached.named += 1;
  }

  function withoutLists(answer: Answer<CardView>): Answer<CardView> {
    if (answer.kind === 'refused') return answer;
    return { kind: 'done', value: { ...answer.value, authorizations: null, clearings: null } };
  }

  return {
    ...system,
    async authorize(message) {
      await reduce();
      const answer = await system.authorize(message);
      if (answer.kind === 'done') note('authorizations', answer.value.id);
      return answer;
    },
    async clear(message) {
      await reduce();
      const answer = await system.clear(message);
      if (answer.kind === 'done') {
        note('clearings', answer.value.id);
        note('clearings', answer.value.clearing_id);
        note('authorizations', answer.value.authorization_id);
      }
      return answer;
    },
    async readCard(id) {
      await reduce();
      return withoutLists(await system.readCard(id));
    },
    updateCard: async (id, request) => withoutLists(await system.updateCard(id, request)),
  };
}

describe('records that are reduced when their time is over', () => {
  const reached: Reached = { reduced: 0, named: 0 };

  for (const [place, name] of (['memory', ...database_names] satisfies StorageName[]).entries()) {
    it(`change no decision, balance or answer over random sequences on ${name}`, async () => {
      const runs = testRuns(sequences[name]);
      for (let done = 0; done < runs; done += sharing) {
        const service = await serviceOn(name, { system: (system, storage) => reducing(system, storage, reached) });
        try {
          const seed = test_seed + 1_000 * place + done;
          await runModel({ system: service.system, runs: Math.min(sharing, runs - done), seed, commands_max: 60 });
        } finally {
          await service.close();
        }
      }
    });
  }

  it('were many, and later messages named them', (t) => {
    if (testRuns(sequences.memory) < sequences.memory.short) {
      t.skip('fewer sequences than the usual share');
      return;
    }
    assert.ok(reached.reduced > 500, `${reached.reduced} records were reduced`);
    assert.ok(reached.named > 30, `${reached.named} answers named a reduced record`);
  });
});
