import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crashEnvironment, database_names, testRuns } from '@tallystick/test-support';
import { host_pairs } from './host-pairs.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

const child = fileURLToPath(new URL('./host-transaction-child.ts', import.meta.url));

/** Runs a host until it is killed at this commit of its rows. Returns the rows that it reported. */
async function killAt(world: HostWorld, nth: number, moment: 'before' | 'after'): Promise<readonly number[]> {
  const host = spawn(process.execPath, [child, world.scratch.database_url, String(world.company_id)], {
    env: { ...process.env, ...crashEnvironment({ phase: 'host_rows', nth, moment }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reported: number[] = [];
  for await (const line of createInterface(host.stdout)) reported.push(Number(line));
  if (host.exitCode === null && host.signalCode === null) await once(host, 'exit');
  assert.equal(host.signalCode, 'SIGKILL');
  return reported;
}

for (const name of database_names) {
  describe(`a host that is killed, on ${name}`, () => {
    test('what its transactions wrote is there together or not at all, and all that it reported', async () => {
      const commits = testRuns({ short: 2, full: 3 });
      for (let run = 0; run < 2 * commits; run += 1) {
        const moment = run % 2 === 0 ? 'before' : 'after';
        const nth = 1 + Math.floor(run / 2);
        const world = await hostWorld(name);
        const host = await host_pairs.find(({ database, is_shared }) => database === name && !is_shared)!.open(world);
        try {
          const reported = await killAt(world, nth, moment);
          assert.equal(reported.length, nth - 1);
          // A statement of the killed process may still run on Postgres.
          await host.transaction(async (_tx, write) => {
            if (name === 'postgres') await write('lock table host_rows in access exclusive mode');
          });
          const { cards, events, outbox, host_rows } = await world.state();
          assert.deepEqual(host_rows.slice(0, reported.length), reported);
          assert.equal(host_rows.length, moment === 'before' ? nth - 1 : nth);
          assert.deepEqual([cards.length, events, outbox], [host_rows.length, host_rows.length, host_rows.length]);
        } finally {
          await host.close();
          await world.dispose();
        }
      }
    });
  });
}
