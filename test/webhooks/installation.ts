import {
  database_names,
  type LocalRedis,
  migratedDatabase,
  own_servers_expected,
  redis_expected,
  redis_url,
  type ScratchDatabase,
  type ServerProcess,
  startLocalRedis,
  startServer,
} from '@tallystick/test-support';

/** The service as an operator runs it, on an empty database. */
export interface Installation {
  /** The addresses of the API, one of each process that serves it. */
  readonly urls: readonly string[];
  readonly database: ScratchDatabase;
  /** Returns the output of all processes, for the message of a failure. */
  output(): string;
  stop(): Promise<void>;
}

/** A way to run the service. */
export interface Arrangement {
  readonly name: string;
  install(): Promise<Installation>;
}

const with_postgres = database_names.includes('postgres');

/**
 * A separate Redis for the installation, because the queues of two tests would mix on a shared one.
 * If none can be started, a database of the shared Redis that another test process is unlikely to
 * use.
 */
async function ownRedis(): Promise<Pick<LocalRedis, 'url' | 'stop'>> {
  if (own_servers_expected) return await startLocalRedis();
  return { url: `${redis_url.replace(/\/\d*$/, '')}/${1 + (process.pid % 15)}`, stop: async () => {} };
}

/** One process that contains the queue. */
export const embedded: Arrangement = {
  name: 'the embedded queue, SQLite',
  install: () => install('sqlite', [{}]),
};

/** One process that serves and one that sends. */
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

/** Both queues; the queue on Bull only where there are a Redis and a Postgres. */
export const both_queues: readonly Arrangement[] = with_postgres && redis_expected ? [embedded, bull] : [embedded];

/** Two processes that both serve and send. */
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
  const database = await migratedDatabase(database_name).catch(async (error: unknown) => {
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
