import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import {
  createSampleSet,
  type SampleRecord,
  type SampleSet,
  sample_formats,
  scenario_kinds,
} from '@tallystick/samples';
import {
  type DatabaseName,
  database_names,
  full_run,
  long_run,
  readRows,
  type ScratchDatabase,
  startServer,
  test_seed,
} from '@tallystick/test-support';
import { differencesFrom } from './answer-sheet.ts';
import { contentOf } from './database-content.ts';
import { runImport, startImport } from './import-process.ts';
import { authorize, purchase } from './purchases.ts';
import {
  openSampleWorld,
  type SampleFile,
  type SampleWorld,
  sendBefore,
  sendInOrder,
  writeSampleFile,
} from './sample-world.ts';

const records = long_run ? 2_000 : 600;
const day = Temporal.Now.plainDateISO('UTC').toString();

/** The longest time that a decision may take beside an import: far longer than a batch. */
const decision_ms_max = 10_000;

async function withSet(
  name: DatabaseName,
  format: string,
  run: (world: SampleWorld, set: SampleSet, file: SampleFile) => Promise<void>,
): Promise<void> {
  const set = createSampleSet({ cards: 20, records, seed: test_seed % 2 ** 32, format, day });
  const world = await openSampleWorld(name, set);
  const file = writeSampleFile(set, world.cardOf);
  try {
    await sendBefore(world, set);
    await run(world, set, file);
  } finally {
    file.dispose();
    await world.close();
  }
}

describe('an import beside others', { concurrency: true }, () => {
  for (const name of database_names) {
    describe(name, { concurrency: 1 }, () => {
      it(`of the same file, at the same time and again, applies each record once`, async () => {
        await withSet(name, 'ipm', async (world, set, file) => {
          const both = await Promise.all([1, 2].map(() => startImport(world.database, file.path).exited));
          const outcomes = both.map(({ report }) => report?.outcome).sort();
          const output = both.map((one) => one.output).join('\n');
          // The second may begin when the first has ended.
          assert.ok(['imported,in_progress', 'imported,known'].includes(outcomes.join()), output);
          assert.deepEqual(await differencesFrom(world.database, set, world.cardOf), []);
          await assertOneEventEach(world.database);

          const once = await contentOf(world.database);
          const again = await runImport(world.database, file.path);
          assert.equal(again.report?.outcome, 'known', again.output);
          assert.equal(again.status, 0);
          assert.deepEqual(await contentOf(world.database), once);
        });
      });

      for (const format of full_run ? sample_formats : ['ipm']) {
        it(`of clearings that come by message at the same time applies each once, ${format}`, async () => {
          await withSet(name, format, async (world, set, file) => {
            const importing = startImport(world.database, file.path);
            const messages = Array.from(set.records(world.cardOf)).filter(isIndependent);
            await sendInOrder(
              messages.map(({ message }) => message!),
              world.clear,
            );
            const { status, output } = await importing.exited;
            assert.equal(status, 4, output);
            assert.deepEqual(await differencesFrom(world.database, set, world.cardOf), []);
            await assertOneEventEach(world.database);
          });
        });
      }

      it(`delays no decision of a server on the same database for long`, async () => {
        await withSet(name, 'cdf3', async (world, set, file) => {
          await world.leave();
          const server = await startServer({ database_url: world.database.database_url });
          try {
            const importing = startImport(world.database, file.path);
            let ended = false;
            void importing.exited.then(() => {
              ended = true;
            });
            let longest_ms = 0;
            const callers = [0, 1, 2, 3].map(async (caller) => {
              for (let turn = caller; !ended; turn += 1) {
                const { card_number } = world.cardOf(turn % set.options.cards);
                const began_ms = performance.now();
                const { status, text } = await authorize(server.url, purchase(card_number, 100));
                assert.equal(status, 200, text);
                longest_ms = Math.max(longest_ms, performance.now() - began_ms);
              }
            });
            const [{ status, output }] = await Promise.all([importing.exited, ...callers]);
            assert.equal(status, 4, output);
            assert.ok(longest_ms < decision_ms_max, `a decision took ${longest_ms} ms`);
          } finally {
            await server.stop();
          }
        });
      });
    });
  }
});

const ordered = new Set(scenario_kinds.flatMap(({ name, ordered }) => (ordered === true ? [name] : [])));

/** Whether the answer is the same whichever of the message and the record comes first. */
function isIndependent({ message, expected }: SampleRecord): boolean {
  return (
    message !== null &&
    expected.quarantine === null &&
    expected.duplicate_of === null &&
    !ordered.has(expected.scenario) &&
    // Nothing says which of two records without an id is which of two messages.
    expected.scenario !== 'same_clearing_under_two_ids'
  );
}

async function assertOneEventEach(database: ScratchDatabase): Promise<void> {
  const [found] = await readRows<{ clearings: number; events: number }>(
    database,
    `select (select count(*) from tallystick_clearings) as clearings,
       (select count(*) from tallystick_events where event_type = 'virtualcard.clearings') as events`,
  );
  assert.equal(found?.events, found?.clearings);
}
