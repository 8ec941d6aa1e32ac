/**
 * The connections of one process to Postgres, in pools by purpose, so that no work can use up the
 * connections of another. ADR 0022 states the reason of each time-out.
 *
 *   passes       passes of the ledger
 *   look-ups     the short transactions that a decision needs besides its pass
 *   others       everything else
 *   long         migrations: nothing ends their statements
 *
 * `ConnectionLimit` divides the connections of the process among them.
 *
 * Every statement has a time-out of the server and, a little later, one of the client: a server
 * that stands still ends nothing itself. At the client's time-out the connection is closed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Timers } from '@tallystick/kernel';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { closeNow, isClosed } from '../closing.ts';
import { PreparingClient } from '../prepared-statement.ts';
import { ConnectionLimit, type ConnectionShares, close_ms_max, LimitedPool } from './connection-limit.ts';
import { type Connections, database_connections_max_default } from './connections.ts';
import { readPostgresTls, withoutTlsParameters } from './postgres-tls.ts';
import { own_types } from './postgres-types.ts';
import { session_options } from './session-settings.ts';

/** Of transactions outside the decision path, milliseconds. */
const statement_ms_max = 30_000;
const lock_ms_max = 5_000;
export const connect_ms_max = 5_000;

/** How much later than the server the client gives up, milliseconds. */
const client_later_ms = 2_000;

/** Time between two looks at the connections in use, when the pools close. */
const look_every_ms = 5;

export interface PostgresPoolOptions {
  /** The address, or the connection options of the pool of a host. */
  readonly url: string | pg.PoolConfig;
  readonly schema: string;
  /** The most connections of the process; 15 when absent. */
  readonly connections_max?: number | undefined;
  /** See `ConnectionOptions`. */
  readonly onFewerConnections?: ((connections: Connections) => void) | undefined;
  /** The time to the deadline of a decision, milliseconds. Its look-ups end within half of it. */
  readonly decision_ms_max: number;
  readonly timers: Timers;
}

export interface PostgresPools {
  readonly passes: pg.Pool;
  readonly look_ups: pg.Pool;
  readonly others: pg.Pool;
  readonly long: pg.Pool;
  /** `others`, and a client of `long` for work within `withoutTimeouts`. */
  readonly ordinary: PostgresPool;
  readonly limit: ConnectionLimit;
  /** Runs work whose statements may take as long as they need, on this client of `long`. */
  withoutTimeouts<Result>(client: pg.PoolClient, work: () => Promise<Result>): Promise<Result>;
  /** Resolves when no connection is in use any more, except by a migration: nothing bounds that. */
  idle(): Promise<void>;
  /**
   * Closes all connections, even if the server does not answer. Statements in progress reject after
   * a second.
   */
  end(): Promise<void>;
}

/** Opens no connection: each is opened when it is needed. */
export function openPostgresPools({
  url,
  schema,
  connections_max = database_connections_max_default,
  onFewerConnections,
  decision_ms_max,
  timers,
}: PostgresPoolOptions): PostgresPools {
  const limit = new ConnectionLimit({ wanted: connections_max, timers, onFewer: onFewerConnections });
  const connection = typeof url === 'string' ? startOptionsWithTls(url, schema) : startOptionsOf(url, schema);

  function open(share: keyof ConnectionShares, config: pg.PoolConfig): LimitedPool {
    const pool = new LimitedPool(limit, share, {
      Client: PreparingClient,
      ...connection,
      types: own_types,
      application_name: 'tallystick',
      // A process that stopped within a transaction loses its locks.
      idle_in_transaction_session_timeout: 60_000,
      // Statements are sent without waiting for the previous answer: a pass of the ledger is two
      // round trips.
      pipeline: true,
      ...config,
    } as pg.PoolConfig);
    // A connection that the server closes fails its query, or nothing when it is idle. It must not
    // end the process.
    pool.on('connect', (client) => {
      client.on('error', () => {});
    });
    // The pool would hand out a client again that a time-out has closed in this turn.
    pool.on('release', (_error, client) => {
      if (isClosed(client)) void client.end();
    });
    pool.on('error', () => {});
    return pool;
  }

  const look_up_ms_max = Math.ceil(decision_ms_max / 2);
  const pools = {
    // A pass ends its own waits at its deadline, and sets the time-out of its locks.
    passes: open('passes', timeouts(2 * decision_ms_max, 2 * decision_ms_max, decision_ms_max)),
    look_ups: open('look_ups', timeouts(look_up_ms_max, look_up_ms_max, look_up_ms_max, 0)),
    others: open('others', timeouts(statement_ms_max, lock_ms_max, connect_ms_max)),
    long: open('long', {
      // A time-out of the role or the database would end a migration.
      options: `${connection.options} -c statement_timeout=0 -c lock_timeout=0`,
      connectionTimeoutMillis: connect_ms_max,
      idleTimeoutMillis: 1_000,
    }),
  };
  const all = Object.values(pools);
  const bounded = all.filter((pool) => pool !== pools.long);
  const in_long_work = new AsyncLocalStorage<PostgresPoolClient>();

  return {
    ...pools,
    limit,
    ordinary: {
      options: pools.others.options,
      connect: async () => in_long_work.getStore() ?? (await pools.others.connect()),
      // `end` of all pools closes them.
      end: async () => {},
    },
    withoutTimeouts(client, work) {
      const query = client.query.bind(client) as PostgresPoolClient['query'];
      return in_long_work.run({ query, release: () => {} }, work);
    },
    async idle() {
      // What was begun in this turn asks for a connection in it.
      await timers.nextTurn();
      // A connection that could not be opened raises no event.
      while (limit.waiting > 0 || bounded.some(({ idleCount, totalCount }) => idleCount < totalCount)) {
        await timers.pause(look_every_ms);
      }
    },
    async end() {
      // A client released in this turn is still reading its last answer, and `end` would wait for
      // it forever.
      await timers.nextTurn();
      const closeRest = () => {
        for (const { open_clients } of all) for (const client of open_clients) closeNow(client);
      };
      timers.after(close_ms_max, closeRest, { keeps_alive: false });
      await Promise.all(all.filter(({ ending }) => !ending).map((pool) => pool.end()));
    },
  };
}

/**
 * The options of the URL with those of every connection. What a URL says wins, except for the schema
 * and what statements rely on. The client would use only those of the URL.
 */
function startOptions(url: string, schema: string): { connectionString: string; options: string } {
  const parsed = new URL(url);
  const of_url = parsed.searchParams.get('options');
  parsed.searchParams.delete('options');
  return { connectionString: of_url === null ? url : parsed.href, options: optionsOf(of_url, schema) };
}

/** A host decides itself about the TLS of its pool. */
function startOptionsWithTls(url: string, schema: string): pg.PoolConfig & { options: string } {
  const ssl = readPostgresTls(url);
  return ssl === undefined ? startOptions(url, schema) : { ...startOptions(withoutTlsParameters(url), schema), ssl };
}

function optionsOf(given: string | null, schema: string): string {
  // Compiling a query takes longer than running any of these.
  const options = ['-c jit=off'];
  if (given !== null) options.push(given);
  options.push(session_options, searchPathOption(schema));
  return options.join(' ');
}

const searchPathOption = (schema: string): string => `-c search_path="${schema}"`;

/** The options of a pool for a connection in the schemas of the host. */
export function optionsWithoutSchema(options: string, schema: string): string {
  return options.endsWith(searchPathOption(schema)) ? options.slice(0, -searchPathOption(schema).length) : options;
}

function startOptionsOf(given: pg.PoolConfig, schema: string): pg.PoolConfig {
  const { connectionString = null } = given;
  const started = connectionString === null ? null : startOptions(connectionString, schema);
  return { ...given, ...(started ?? { options: optionsOf(given.options ?? null, schema) }) };
}

function timeouts(
  statement_ms: number,
  lock_ms: number,
  connect_ms: number,
  later_ms: number = client_later_ms,
): pg.PoolConfig {
  return {
    statement_timeout: statement_ms,
    lock_timeout: lock_ms,
    query_timeout: statement_ms + later_ms,
    connectionTimeoutMillis: connect_ms,
  };
}
