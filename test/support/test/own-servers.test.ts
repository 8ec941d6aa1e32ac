import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import {
  own_servers_expected,
  postgresProblem,
  redisProblem,
  startLocalPostgres,
  startLocalRedis,
} from '../src/index.ts';

if (own_servers_expected) {
  describe('a server of the tests’ own', () => {
    it('of Redis answers, is empty after a restart, and is gone when it is stopped', async () => {
      const redis = await startLocalRedis();
      try {
        assert.equal(await redisProblem(redis.url), null);
        await redis.flush();
        await redis.restart();
        assert.equal(await redisProblem(redis.url), null);
      } finally {
        await redis.stop();
      }
      assert.match((await redisProblem(redis.url)) ?? '', /ECONNREFUSED/);
    });

    it('of Postgres keeps what was committed over a crash, and is gone when it is stopped', async () => {
      const postgres = await startLocalPostgres();
      const ask = async (sql: string): Promise<unknown[]> => {
        const client = new pg.Client({ connectionString: postgres.url });
        await client.connect();
        try {
          return (await client.query(sql)).rows;
        } finally {
          await client.end();
        }
      };
      try {
        await ask('create table kept (id integer)');
        await ask('insert into kept values (7)');
        await postgres.restart();
        assert.deepEqual(await ask('select id from kept'), [{ id: 7 }]);
      } finally {
        await postgres.stop();
      }
      assert.match((await postgresProblem(postgres.url)) ?? '', /ECONNREFUSED/);
    });
  });
}
