import assert from 'node:assert/strict';
import { copyFileSync, truncateSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { createSampleSet } from '@tallystick/samples';
import {
  type CrashSubject,
  changeRows,
  copyDatabase,
  type DatabaseName,
  database_names,
  killInEachPhase,
  phasesOf,
  type ScratchDatabase,
  test_seed,
} from '@tallystick/test-support';
import { contentOf } from './database-content.ts';
import { runImport } from './import-process.ts';
import { openSampleWorld, type SampleFile, sendBefore, writeSampleFile } from './sample-world.ts';

/** Three batches: a kill comes before, between and after others. */
const records = 2_100;

/**
 * A database before the import, the file, and the database after an import that nothing disturbed.
 */
interface Prepared {
  readonly database: ScratchDatabase;
  readonly file: SampleFile;
  readonly unbroken: Awaited<ReturnType<typeof contentOf>>;
  /** The phases of that import, in their order. */
  readonly phases: readonly string[];
  close(): Promise<void>;
}

/** The import of the file into the database, as a program that is killed. */
function importInto(database: ScratchDatabase, path: string): CrashSubject {
  return {
    async run(env) {
      const { status, signal, output } = await runImport({ ...database, env }, path);
      assert.ok(status === 4 || status === 0 || signal !== null, output);
      return signal;
    },
    // The lease of the process that died outlasts it in machine time.
    afterKill: () =>
      changeRows(database, 'update tallystick_imports set lease_until_machine_ms = 0 where lease_until_machine_ms > 0'),
  };
}

async function prepare(name: DatabaseName): Promise<Prepared> {
  const day = Temporal.Now.plainDateISO('UTC').toString();
  const set = createSampleSet({ cards: 40, records, seed: test_seed % 2 ** 32, format: 'ipm', day });
  const world = await openSampleWorld(name, set);
  await sendBefore(world, set);
  const file = writeSampleFile(set, world.cardOf);
  await world.leave();
  const copy = await copyDatabase(world.database);
  const phases = await phasesOf(importInto(copy, file.path));
  const unbroken = await contentOf(copy);
  await copy.dispose();
  return {
    database: world.database,
    file,
    unbroken,
    phases,
    async close() {
      file.dispose();
      await world.close();
    },
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

      it('by SIGKILL in each of its phases ends with the database of an unbroken one', async (t) => {
        const copy = await copyDatabase(prepared.database);
        try {
          const kills = await killInEachPhase(importInto(copy, prepared.file.path), prepared.phases);
          t.diagnostic(`${kills} kills in ${prepared.phases.join(', ')}`);
          assert.deepEqual(await contentOf(copy), prepared.unbroken);
        } finally {
          await copy.dispose();
        }
      });

      it('by a missing end applies nothing, and the whole file after it everything', async () => {
        const copy = await copyDatabase(prepared.database);
        try {
          const before_it = await contentOf(copy);
          const cut = `${prepared.file.path}.cut`;
          copyFileSync(prepared.file.path, cut);
          truncateSync(cut, Math.floor(records * 100 * (0.2 + (test_seed % 100) / 200)));
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
