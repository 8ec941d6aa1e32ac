import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  own_servers_expected,
  postgresProblem,
  redisProblem,
  startLocalPostgres,
  startLocalRedis,
} from '../src/index.ts';

if (own_servers_expected) {
  describe('a server that tests start', () => {
    it('of Redis answers, is empty after a restart, and is removed by stop', async () => {
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

    it('of Postgres keeps committed rows over a crash, and is removed by stop', async () => {
      const postgres = await startLocalPostgres();
      const ask = async (sql: string): Promise<unknown[]> => {
        const client = new pg.Client({ connectionString: postgres.url });
        client.on('error', () => {});
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

    it('ends with the process that started it, even when that process is killed', async (t) => {
      const entrance = new URL('../src/index.ts', import.meta.url).href;
      const starting = `
        const { startLocalPostgres, startLocalRedis } = await import(process.argv[1]);
        const started = await Promise.all([startLocalPostgres(), startLocalRedis()]);
        console.log(started.map(({ url }) => url).join(' '));
        setInterval(() => {}, 1_000);`;
      const words = ['--conditions=source', '--input-type=module', '--eval', starting, entrance];
      const owner = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
      t.after(() => owner.kill('SIGKILL'));
      const [chunk] = (await once(owner.stdout, 'data')) as [Buffer];
      const [postgres_url = '', redis_url = ''] = chunk.toString().trim().split(' ');
      assert.deepEqual([await postgresProblem(postgres_url), await redisProblem(redis_url)], [null, null]);
      owner.kill('SIGKILL');
      for (const problem of [() => postgresProblem(postgres_url), () => redisProblem(redis_url)]) {
        while (!/ECONNREFUSED/.test((await problem()) ?? '')) await delay(50);
      }
    });
  });
}
