import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import { openPostgresPools } from '../src/connection/postgres/postgres-pools.ts';

describe('the connections of one process', { skip: !database_names.includes('postgres') }, () => {
  it('are as many as wanted, and a pool without any waits until one of another pool is idle', async (t) => {
    const scratch = await scratchDatabase('postgres');
    const { promise: paused, resolve: notePause } = Promise.withResolvers<void>();
    const pools = openPostgresPools({
      url: scratch.database_url,
      schema: 'public',
      connections_max: 3,
      decision_ms_max: 60_000,
      timers: {
        ...machine_timers,
        pause(ms, options) {
          notePause();
          return machine_timers.pause(ms, options);
        },
      },
    });
    const used = [await pools.long.connect(), await pools.others.connect(), await pools.look_ups.connect()];
    t.after(async () => {
      for (const client of used) client.release();
      await pools.end();
      await scratch.dispose();
    });
    const waiting = pools.passes.connect().then((client) => void used.push(client));
    await Promise.race([paused, waiting]);
    assert.equal(pools.passes.totalCount, 0);
    used.splice(2, 1)[0]!.release();
    await waiting;
    assert.equal(pools.look_ups.totalCount, 0);
  });
});
