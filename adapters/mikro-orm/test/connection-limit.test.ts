import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import type { PoolClient } from 'pg';
import type { Connections } from '../src/connection/postgres/connections.ts';
import { openPostgresPools } from '../src/connection/postgres/postgres-pools.ts';

/**
 * Pools of a process with three connections. `paused` resolves when a caller waits for one, and
 * `fewer` has what was reported.
 */
async function threeConnections(t: TestContext) {
  const scratch = await scratchDatabase('postgres');
  const { promise: paused, resolve: notePause } = Promise.withResolvers<void>();
  const fewer: Connections[] = [];
  const pools = openPostgresPools({
    url: scratch.database_url,
    schema: 'public',
    connections_max: 3,
    decision_ms_max: 60_000,
    onFewerConnections: (connections) => void fewer.push(connections),
    timers: {
      ...machine_timers,
      pause(ms, options) {
        notePause();
        return machine_timers.pause(ms, options);
      },
    },
  });
  const used: PoolClient[] = [];
  t.after(async () => {
    for (const client of used) client.release();
    await pools.end();
    await scratch.dispose();
  });
  return { pools, used, paused, fewer };
}

describe('the connections of one process', { skip: !database_names.includes('postgres') }, () => {
  it('are as many as wanted, and a pool without any waits until one of another pool is idle', async (t) => {
    const { pools, used, paused } = await threeConnections(t);
    used.push(await pools.long.connect(), await pools.others.connect(), await pools.look_ups.connect());
    const waiting = pools.passes.connect().then((client) => void used.push(client));
    await Promise.race([paused, waiting]);
    assert.equal(pools.passes.totalCount, 0);
    used.splice(2, 1)[0]!.release();
    await waiting;
    assert.equal(pools.look_ups.totalCount, 0);
  });

  it('are no more than wanted when every pool asks for its first at once', async (t) => {
    const { pools, used, paused, fewer } = await threeConnections(t);
    const all = [pools.long, pools.others, pools.look_ups, pools.passes];
    const connecting = all.map((pool) => pool.connect().then((client) => void used.push(client)));
    await Promise.race([paused, Promise.all(connecting)]);
    assert.equal(
      all.reduce((sum, { totalCount }) => sum + totalCount, 0),
      3,
    );
    await Promise.race(connecting);
    used.shift()!.release();
    await Promise.all(connecting);
    assert.deepEqual(fewer, [], 'the server has refused none');
  });

  it('are kept for decisions while another one is idle', async (t) => {
    const { pools, used } = await threeConnections(t);
    for (const pool of [pools.others, pools.look_ups, pools.passes]) await pool.query('select 1');
    used.push(await pools.long.connect());
    assert.deepEqual([pools.passes.totalCount, pools.look_ups.totalCount, pools.others.totalCount], [1, 1, 0]);
  });
});
