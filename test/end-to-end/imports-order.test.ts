import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ImportPorts, importFile } from '@tallystick/imports';
import { Temporal } from '@tallystick/kernel';
import { createSampleSet, type SampleRecord, sample_formats } from '@tallystick/samples';
import { closeContainer, createContainer, readConfig, tokens } from '@tallystick/server';
import { type DatabaseName, database_names, propertyParameters, serverEnvironment } from '@tallystick/test-support';
import fc from 'fast-check';
import { differencesFrom } from './answer-sheet.ts';
import {
  type Arrival,
  arrivalsOf,
  messagesOf,
  mixLists,
  randomFrom,
  receive,
  type ScenarioArrivals,
} from './arrivals.ts';
import { openSampleWorld, type SampleWorld, sampleFileBytes } from './sample-world.ts';

/** A little more than one deck, so that every scenario is there. */
const records = 210;

const run = {
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  format: fc.constantFrom(...sample_formats),
  order: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  at_once: fc.constantFrom(1, 7, 64),
};

function runs(name: DatabaseName) {
  return { ...propertyParameters({ short: name === 'sqlite' ? 4 : 1, full: 6 }), endOnFailure: true };
}

describe('whatever the order of arrival', { concurrency: true }, () => {
  for (const name of database_names) {
    it(`messages end in what the answer sheet says (${name})`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.record(run), async ({ seed, format, order, at_once }) => {
          const set = createSampleSet({ cards: 3, records, seed, format, day: '2099-03-15' });
          const world = await openSampleWorld(name, set);
          try {
            const lists = arrivalsOf(set, world).flatMap((arrivals) => [
              ...inOrder(arrivals, arrivals.authorizations),
              ...inOrder(arrivals, messagesOf(arrivals.records)),
            ]);
            await receive(world, mixLists(lists, randomFrom(order)), at_once);
            const by_message_only = { by_message_only: true };
            assert.deepEqual(await differencesFrom(world.database, set, world.cardOf, by_message_only), []);
          } finally {
            await world.close();
          }
        }),
        runs(name),
      );
    });

    it(`a file and the messages before and after it end in what the answer sheet says (${name})`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.record(run), async ({ seed, format, order, at_once }) => {
          const day = Temporal.Now.plainDateISO('UTC').toString();
          const set = createSampleSet({ cards: 3, records, seed, format, day });
          const world = await openSampleWorld(name, set);
          const random = randomFrom(order);
          try {
            const { before, file, after } = divided(arrivalsOf(set, world), random);
            await receive(world, mixLists(before, random), at_once);
            await importBytes(world, sampleFileBytes(set, mixLists(file, random)));
            await receive(world, mixLists(after, random), at_once);
            assert.deepEqual(await differencesFrom(world.database, set, world.cardOf), []);
          } finally {
            await world.close();
          }
        }),
        runs(name),
      );
    });
  }
});

/** Lists of a scenario whose items may come in any order, between those of other lists. */
function inOrder<Item>({ scenario }: ScenarioArrivals, items: readonly Item[]): readonly (readonly Item[])[] {
  return scenario.ordered ? [items] : items.map((item) => [item]);
}

/**
 * Each authorization message comes before or after the file. Each clearing comes by file, by
 * message before or after it, or both ways.
 */
function divided(scenarios: readonly ScenarioArrivals[], random: () => number) {
  const before: (readonly Arrival[])[] = [];
  const after: (readonly Arrival[])[] = [];
  const file: (readonly SampleRecord[])[] = [];
  for (const arrivals of scenarios) {
    const { scenario, records: of_scenario } = arrivals;
    for (const list of inOrder(arrivals, arrivals.authorizations)) {
      const cut = Math.floor(random() * (list.length + 1));
      before.push(list.slice(0, cut));
      after.push(list.slice(cut));
    }
    // A record that is refused is kept each time that it comes.
    if (of_scenario.some(({ expected }) => expected.quarantine !== null)) {
      file.push(of_scenario);
      continue;
    }
    // Of two records without an id, nothing says which of two messages each one is.
    const ways = scenario.name === 'same_clearing_under_two_ids' ? [random() < 0.5 ? 'file' : 'message'] : null;
    for (const record of of_scenario) {
      const way = ways?.[0] ?? (['file', 'message', 'both'] as const)[Math.floor(random() * 3)];
      if (way !== 'message') file.push([record]);
      if (way !== 'file') (random() < 0.5 ? before : after).push(messagesOf([record]));
    }
  }
  return { before, file, after };
}

/** Imports the bytes in this process. */
async function importBytes({ database }: SampleWorld, bytes: Uint8Array): Promise<void> {
  const container = createContainer(readConfig(serverEnvironment(database)));
  try {
    const ports: ImportPorts = await container.getAsync(tokens.offline_imports);
    const source = {
      name: 'clearings',
      async *open() {
        yield bytes;
      },
      is_repeatable: true,
      bytes_total: bytes.length,
    };
    const call = { actor: 'command', request_id: null, now_ms: ports.clock.nowMs() };
    const { import: found } = await importFile(ports, call, source);
    assert.match(found.status, /^completed/, JSON.stringify(found.problem));
  } finally {
    await closeContainer(container);
  }
}
