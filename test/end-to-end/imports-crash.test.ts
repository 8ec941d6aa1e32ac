import assert from 'node:assert/strict';
import { copyFileSync, truncateSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createSampleSet } from '@tallystick/samples';
import {
  changeRows,
  copyDatabase,
  type DatabaseName,
  database_names,
  full_run,
  readRows,
  type ScratchDatabase,
  test_seed,
} from '@tallystick/test-support';
import { contentOf } from './database-content.ts';
import { runImport, startImport } from './import-process.ts';
import { type SampleFile, writeSampleFile } from './sample-file.ts';
import { openSampleWorld, sendBefore } from './sample-world.ts';

/** Three batches: a kill can come before, between and after others. */
const records = 3_000;
const kills_wanted = full_run ? 6 : 3;

/**
 * A database before the import, the file, and the database after an import that nothing disturbed.
 */
interface Prepared {
  readonly database: ScratchDatabase;
  readonly file: SampleFile;
  readonly unbroken: Awaited<ReturnType<typeof contentOf>>;
  close(): Promise<void>;
}

async function prepare(name: DatabaseName): Promise<Prepared> {
  const day = Temporal.Now.plainDateISO('UTC').toString();
  const set = createSampleSet({ cards: 40, records, seed: test_seed % 2 ** 32, format: 'ipm', day });
  const world = await openSampleWorld(name, set);
  await sendBefore(world, set);
  const file = writeSampleFile(set, world.cardOf);
  await world.leave();
  const copy = await copyDatabase(world.database);
  const { status, output } = await runImport(copy, file.path);
  assert.equal(status, 4, output);
  const unbroken = await contentOf(copy);
  await copy.dispose();
  return {
    database: world.database,
    file,
    unbroken,
    async close() {
      file.dispose();
      await world.close();
    },
  };
}

/** Random numbers from 0 to 1 that the seed of the test run reproduces. */
function fractions(): () => number {
  let state = test_seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('an import that is disturbed', { concurrency: true }, () => {
  for (const name of database_names) {
    describe(name, { concurrency: 1 }, () => {
      let prepared: Prepared;
      before(async () => {
        prepared = await prepare(name);
      });
      after(() => prepared?.close());

      it('by SIGKILL at random points of both phases ends with the database of an unbroken one', async () => {
        const random = fractions();
        const killed_in: string[] = [];
        for (let round = 1; killed_in.length < kills_wanted || !hasBoth(killed_in); round += 1) {
          assert.ok(round <= 3 * kills_wanted, `imports were killed only in ${killed_in.join(', ')}`);
          const copy = await copyDatabase(prepared.database);
          try {
            const phases = ['staging', 'staging', 'applying', 'applying'] as const;
            // Later and later points, because each run continues where the one before it was
            // killed.
            const points = [random(), random()].sort((a, b) => a - b);
            for (const [turn, phase] of phases.entries()) {
              if (killed_in.length >= kills_wanted && hasBoth(killed_in)) break;
              const phase_when_killed = await killAt(copy, phase, points[turn % 2]!);
              if (phase_when_killed !== null) killed_in.push(phase_when_killed);
            }
            const last = await runImport(copy, prepared.file.path);
            assert.ok(last.status === 4 || last.report?.outcome === 'known', last.output);
            assert.deepEqual(await contentOf(copy), prepared.unbroken);
          } finally {
            await copy.dispose();
          }
        }
      });

      /**
       * Runs the import until it has done this share of a phase, and kills it. Returns the phase in
       * which it was; null if it ended before.
       */
      async function killAt(copy: ScratchDatabase, phase: 'staging' | 'applying', share: number) {
        const running = startImport(copy, prepared.file.path);
        let ended = false;
        void running.exited.then(() => {
          ended = true;
        });
        while (!ended && !(await isAt(copy, phase, share * records))) await delay(20);
        running.kill();
        const { status, output } = await running.exited;
        assert.ok(status === null || status === 4 || status === 0, output);
        // The lease of the process that died outlasts it in machine time.
        await changeRows(
          copy,
          'update tallystick_imports set lease_until_machine_ms = 0 where lease_until_machine_ms > 0',
        );
        const [found] = await readRows<{ phase: string | null }>(copy, 'select phase from tallystick_imports');
        return status === null ? (found?.phase ?? null) : null;
      }

      it('by a missing end applies nothing, and the whole file after it everything', async () => {
        const copy = await copyDatabase(prepared.database);
        try {
          const before_it = await contentOf(copy);
          const cut = `${prepared.file.path}.cut`;
          copyFileSync(prepared.file.path, cut);
          truncateSync(cut, Math.floor(records * 100 * (0.2 + fractions()() / 2)));
          const { status, report } = await runImport(copy, cut);
          assert.equal(status, 3);
          assert.equal(report?.import.status, 'truncated');
          assert.deepEqual({ ...(await contentOf(copy)), imports: [] }, { ...before_it, imports: [] });
          assert.equal((await runImport(copy, prepared.file.path)).status, 4);
          assert.deepEqual({ ...(await contentOf(copy)), imports: [] }, { ...prepared.unbroken, imports: [] });
        } finally {
          await copy.dispose();
        }
      });
    });
  }
});

function hasBoth(phases: readonly string[]): boolean {
  return phases.includes('staging') && phases.includes('applying');
}

/** Whether the import is in the phase, or past it, and has done as many records of it. */
async function isAt(database: ScratchDatabase, phase: 'staging' | 'applying', wanted: number): Promise<boolean> {
  const [found] = await readRows<{ phase: string | null; records: number; done: number }>(
    database,
    'select phase, records, applied + duplicates + quarantined as done from tallystick_imports order by id desc limit 1',
  );
  if (found === undefined) return false;
  if (phase === 'staging') return found.phase !== 'staging' || found.records >= wanted;
  return found.phase === null || (found.phase === 'applying' && found.done >= wanted);
}
