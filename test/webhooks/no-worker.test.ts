import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  own_servers_expected,
  type Reply,
  redis_expected,
  send,
  startLocalRedis,
  startServer,
  tlsReceiver,
} from '@tallystick/test-support';
import { Company } from './company.ts';

const skip = redis_expected && own_servers_expected ? false : 'no separate Redis can be started';

describe('an API process whose deliveries no worker takes', { skip }, () => {
  for (const name of database_names) {
    it(`reports it in answer and log when the clock is moved, until there is a worker: ${name}`, async (t) => {
      const redis = await startLocalRedis();
      t.after(() => redis.stop());
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const start = (ROLE: string) =>
        startServer({ database_url: database.database_url, env: { ROLE, REDIS_URL: redis.url } });
      const api = await start('api');
      t.after(() => api.stop());
      const receiver = await tlsReceiver();
      t.after(() => receiver.close());
      const company = await Company.found(api.url, 'alone');
      await company.registers(`${receiver.origin}/hooks`);
      const move = (): Promise<Reply> =>
        send(api.url, 'POST', '/sandbox/v1/clock', { key: 'operator', body: { data: { advance: 'PT0S' } } });

      assert.deepEqual(Object.keys((await move()).json.data), ['now', 'frozen'], 'nothing is due');
      await company.hears({ id: 1 });
      await company.hears({ id: 2 });
      const { status, json } = await move();
      const waiting = 'deliveries due: 2; no worker took any in 5 s: start one (npm start -- --role worker)';
      assert.deepEqual([status, json.data.waiting], [200, waiting]);

      const worker = await start('worker');
      t.after(() => worker.stop());
      // On a slow machine the worker may not check within the five seconds.
      for (let reply = await move(); 'waiting' in reply.json.data; ) reply = await move();
      assert.equal(receiver.received.length, 2);
      // Log lines are written after the answers, and all of them before the process ends.
      await api.stop();
      assert.ok(api.output().includes(`"waiting":"${waiting}"`), api.output());
    });
  }
});
