import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DatabaseName, database_names, long_run, scratchDatabase } from '@tallystick/test-support';
import { createKeys } from 'tallystick';
import type { Growth, GrowthPlan } from './growth-process.ts';

const process_path = fileURLToPath(new URL('growth-process.ts', import.meta.url));

/** After the first instances everything is loaded, and whatever is made once is there. */
const counts = long_run ? { first: 10, further: 1_990 } : { first: 4, further: 6 };

/** What is loaded or made late, once, on each kind of database. One instance has thousands. */
const objects_max = 150;

/** What 2,000 instances on each database may take beyond the first: the compiler of V8 keeps working meanwhile. */
const heap_bytes_max = 10_000_000;

async function grow(t: TestContext, databases: GrowthPlan['databases'], on: DatabaseName): Promise<Growth> {
  const scratch = await scratchDatabase(on);
  t.after(() => scratch.dispose());
  const plan: GrowthPlan = { databases, database_url: scratch.database_url, keys: await createKeys(), ...counts };
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=source',
    '--expose-gc',
    process_path,
    JSON.stringify(plan),
  ]);
  return JSON.parse(stdout) as Growth;
}

const used = {
  sqlite: { databases: ['memory', 'file', 'handle'], what: 'a database in memory, a file and a handle of the host' },
  postgres: { databases: ['address', 'handle'], what: 'an address and a pool of the host' },
} as const;

describe('a process that creates, uses and closes instances one after another', () => {
  for (const name of database_names) {
    const { databases, what } = used[name];
    it(`holds no more after many of them than after the first, on ${name} with ${what}`, async (t) => {
      const { before, after } = await grow(t, databases, name);
      const grown = after.objects - before.objects;
      assert.ok(grown < objects_max * databases.length, JSON.stringify({ before, after }));
      assert.equal(after.listeners, before.listeners, 'listeners of the process');
      assert.ok(after.resources <= before.resources, 'timers, sockets and threads');
      // Fewer instances take less in any case.
      if (!long_run) return;
      const grown_bytes = after.heap_bytes - before.heap_bytes;
      assert.ok(grown_bytes < heap_bytes_max, `${grown_bytes} bytes were added`);
    });
  }
});
