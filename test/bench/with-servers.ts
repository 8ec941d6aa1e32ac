import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connectionsLeft, redisProblem, startLocalPostgres, startLocalRedis } from '@tallystick/test-support';

/**
 * Returns when Postgres and Redis are running. Otherwise it starts the one that is missing, runs
 * this process's command beside it, and exits with its code. A server that is started has no fsync.
 */
export async function runWithServers(): Promise<void> {
  const postgres = await connectionsLeft().then(
    () => null,
    () => startLocalPostgres(),
  );
  const redis = (await redisProblem()) === null ? null : await startLocalRedis();
  if (postgres === null && redis === null) return;
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(postgres === null ? {} : { TEST_POSTGRES_URL: postgres.url }),
      ...(redis === null ? {} : { TEST_REDIS_URL: redis.url }),
    },
  });
  const [code] = await once(child, 'exit');
  await postgres?.stop();
  await redis?.stop();
  process.exit(code ?? 1);
}
