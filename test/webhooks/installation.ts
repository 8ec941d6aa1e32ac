import {
  database_names,
  type LocalRedis,
  own_servers_expected,
  redis_expected,
  redis_url,
  type ScratchDatabase,
  type ServerProcess,
  scratchDatabase,
  startLocalRedis,
  startServer,
} from '@tallystick/test-support';

/** The service as one would run it, on an empty database. */
export interface Installation {
  /** Where the interface is served, by each process that serves it. */
  readonly urls: readonly string[];
  readonly database: ScratchDatabase;
  /** All that its processes have written, for a failure's message. */
  output(): string;
  stop(): Promise<void>;
}

/** A way to run it. */
export interface Arrangement {
  readonly name: string;
  install(): Promise<Installation>;
}

const with_postgres = database_names.includes('postgres');

/**
 * A Redis of the installation's own: on a shared one the queues of two tests would mix. Where none can be started, a
 * database of the shared one that no other test process is likely to have.
 */
async function ownRedis(): Promise<Pick<LocalRedis, 'url' | 'stop'>> {
  if (own_servers_expected) return await startLocalRedis();
  return { url: `${redis_url.replace(/\/\d*$/, '')}/${1 + (process.pid % 15)}`, stop: async () => {} };
}

/** One process with the queue in it. */
export const embedded: Arrangement = {
  name: 'the embedded queue, SQLite',
  install: () => install('sqlite', [{}]),
};

/** A process that serves and one that sends. */
const bull: Arrangement = {
  name: 'Bull between an API process and a worker process, Postgres',
  install: () =>
    ownRedis().then((redis) =>
      install(
        'postgres',
        ['api', 'worker'].map((ROLE) => ({ ROLE, REDIS_URL: redis.url })),
        redis.stop,
      ),
    ),
};

/** Both queues; that on Bull where there are a Redis and a Postgres. */
export const both_queues: readonly Arrangement[] = with_postgres && redis_expected ? [embedded, bull] : [embedded];

/** Two processes that each do everything. */
export const two_processes: readonly Arrangement[] = [
  ...(with_postgres
    ? [{ name: 'two processes with a queue each, Postgres', install: () => install('postgres', [{}, {}]) }]
    : []),
  ...(with_postgres && redis_expected
    ? [
        {
          name: 'two processes on Bull, Postgres',
          install: () =>
            ownRedis().then((redis) =>
              install('postgres', [{ REDIS_URL: redis.url }, { REDIS_URL: redis.url }], redis.stop),
            ),
        },
      ]
    : []),
];

async function install(
  database_name: 'sqlite' | 'postgres',
  environments: readonly Readonly<Record<string, string>>[],
  stopQueue: () => Promise<void> = async () => {},
): Promise<Installation> {
  const database = await scratchDatabase(database_name).catch(async (error: unknown) => {
    await stopQueue();
    throw error;
  });
  const servers: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    await stopQueue();
    await database.dispose();
  };
  try {
    for (const env of environments) {
      servers.push(await startServer({ database_url: database.database_url, env }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    urls: servers.filter((_, place) => environments[place]?.ROLE !== 'worker').map(({ url }) => url),
    database,
    output: () => servers.map((server) => server.output()).join('\n'),
    stop,
  };
}
