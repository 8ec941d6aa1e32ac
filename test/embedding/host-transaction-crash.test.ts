import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { database_names, testRuns } from '@tallystick/test-support';
import { host_pairs } from './host-pairs.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

const child = fileURLToPath(new URL('./host-transaction-child.ts', import.meta.url));

/** Runs a host and kills it after this number of commits, at a random point of the next ones. */
async function killAfter(world: HostWorld, commits: number): Promise<readonly number[]> {
  const { database_url } = world.scratch;
  const host = spawn(
    process.execPath,
    [
      ...process.execArgv.filter((option) => option.startsWith('--conditions')),
      child,
      database_url,
      String(world.company_id),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const reported: number[] = [];
  for await (const line of createInterface(host.stdout)) {
    reported.push(Number(line));
    if (reported.length === commits) {
      // The next transaction is somewhere within these steps.
      for (let turn = Math.random() * 400; turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
      host.kill('SIGKILL');
    }
  }
  if (host.exitCode === null && host.signalCode === null) await once(host, 'exit');
  assert.equal(host.signalCode, 'SIGKILL');
  return reported;
}

for (const name of database_names) {
  describe(`a host that is killed, on ${name}`, () => {
    test('what its transactions wrote is there together or not at all, and all that it reported', async () => {
      for (let run = 0; run < testRuns({ short: 2, full: 6 }); run += 1) {
        const world = await hostWorld(name);
        const host = await host_pairs.find(({ database, is_shared }) => database === name && !is_shared)!.open(world);
        try {
          const reported = await killAfter(world, 5 + run);
          // A statement of the killed process may still run on Postgres.
          await host.transaction(async (_tx, write) => {
            if (name === 'postgres') await write('lock table host_rows in access exclusive mode');
          });
          const { cards, events, outbox, host_rows } = await world.state();
          assert.deepEqual(host_rows.slice(0, reported.length), reported);
          assert.ok(host_rows.length <= reported.length + 1);
          assert.deepEqual([cards.length, events, outbox], [host_rows.length, host_rows.length, host_rows.length]);
        } finally {
          await host.close();
          await world.dispose();
        }
      }
    });
  });
}
