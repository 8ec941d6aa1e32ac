/**
 * The connections that one process asks Postgres for, and those that it can have (ADR 0061). A
 * role, a database, a server and a pooler have limits of their own, and other clients also use
 * them.
 *
 *   wanted       the setting
 *   allowed      what may be open at present: fewer than wanted after the server has refused one
 */
import { Fault, type Timers } from '@tallystick/kernel';
import pg from 'pg';
import { closeNow } from '../closing.ts';
import { faultOf } from '../faults.ts';
import { type Connections, database_connections_min } from './connections.ts';

/** How long after a refusal one further connection is tried, milliseconds. */
const again_after_ms = 5_000;

/** Between two attempts of work for which no connection is open, milliseconds. */
const pause_ms = 50;

/** How long a closed connection waits for the server to close it, milliseconds. */
export const close_ms_max = 1_000;

/** The most connections of each pool. */
export interface ConnectionShares {
  readonly passes: number;
  readonly look_ups: number;
  readonly others: number;
  readonly long: number;
}

/**
 * Divides the connections of a process. Passes have two lanes, four lanes of held cards and the
 * sweep of holds. One is for migrations; with three in total, in the place of an idle one.
 */
export function sharesOf(connections: number): ConnectionShares {
  const rest = Math.max(connections - 1, database_connections_min);
  const passes = within(1, Math.round((rest * 3) / 7), 7);
  const look_ups = within(1, Math.round(rest / 7), 4);
  return { passes, look_ups, others: rest - passes - look_ups, long: 1 };
}

const within = (min: number, value: number, max: number): number => Math.min(Math.max(value, min), max);

export interface ConnectionLimitOptions {
  readonly wanted: number;
  readonly timers: Timers;
  /** Called when the server begins to refuse connections, not for each refusal. */
  readonly onFewer: ((connections: Connections) => void) | undefined;
}

/**
 * Shares the allowed connections among the pools of a process. When the server refuses one, work
 * waits for those that are open, as long as its pool lets it wait, and one more is tried from time
 * to time.
 */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions;
  readonly #pools = new Map<LimitedPool, keyof ConnectionShares>();
  #allowed: number;
  #changed_at_ms = 0;
  /** Whether it is known that the server gives fewer than wanted. */
  #is_known = false;
  /** Whether more are allowed than the server gave at last. */
  #is_trial = false;
  #waiting = 0;

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
    this.#allowed = options.wanted;
  }

  get timers(): Timers {
    return this.#options.timers;
  }

  /** The number of callers that wait for a connection. */
  get waiting(): number {
    return this.#waiting;
  }

  add(share: keyof ConnectionShares, pool: LimitedPool): void {
    this.#pools.set(pool, share);
    this.#shareOut();
    pool.on('connect', () => {
      // Without the one for migrations, all that are wanted.
      if (this.#openCount() >= this.#options.wanted - 1) this.#is_known = false;
      // There may be room for more.
      if (this.#is_trial && this.#openCount() >= this.#allowed) this.#allow(this.#allowed + 1);
    });
  }

  /** To be called before further connections are opened, with what the server can give. */
  expect(free: number): Connections {
    const { wanted } = this.#options;
    const got = Math.max(Math.min(free, wanted), 0);
    this.#is_known = got < wanted;
    if (this.#is_known) this.#lower(got);
    return { wanted, got };
  }

  /** Opens a connection, or waits for one up to this time, milliseconds. */
  async connect<Client>(ms_max: number, connect: () => Promise<Client>): Promise<Client> {
    const until_ms = this.#options.timers.monotonicNow() + ms_max;
    this.#waiting += 1;
    try {
      return await this.#connectUntil(until_ms, connect);
    } finally {
      this.#waiting -= 1;
    }
  }

  /**
   * Opens the first connection of a pool. When all that are allowed are open, or being opened, it
   * takes the place of an idle one, of one for decisions only if there is no other. Rejects with
   * `AllInUse` when all that are wanted are open and none is idle.
   */
  async connectFirst<Client>(connect: () => Promise<Client>): Promise<Client> {
    // Those for decisions were added first.
    const pools = [...this.#pools.keys()].reverse();
    while (this.#totalCount() >= this.#allowed) {
      const idle = pools.find(({ idleCount, waitingCount }) => idleCount > waitingCount);
      if (idle !== undefined) await idle.closeIdle();
      else if (this.#totalCount() >= this.#options.wanted) throw new AllInUse();
      else break;
    }
    return await connect();
  }

  async #connectUntil<Client>(until_ms: number, connect: () => Promise<Client>): Promise<Client> {
    const { timers, wanted } = this.#options;
    for (;;) {
      if (this.#allowed < wanted) this.#tryAgain();
      try {
        return await connect();
      } catch (error) {
        if (!isRefused(error) || timers.monotonicNow() + pause_ms >= until_ms) throw error;
        // A connection that was opened at the same time may have been refused already.
        const is_news = !(error instanceof AllInUse) && this.#openCount() < this.#allowed;
        if (is_news) this.#refuse(Math.min(this.#allowed - 1, this.#totalCount()));
      }
      await timers.pause(pause_ms);
    }
  }

  #tryAgain(): void {
    if (this.#options.timers.monotonicNow() - this.#changed_at_ms < again_after_ms) return;
    this.#is_trial = true;
    this.#allow(this.#allowed + 1);
  }

  #refuse(allowed: number): void {
    const { wanted, onFewer } = this.#options;
    this.#lower(allowed);
    if (!this.#is_known) onFewer?.({ wanted, got: allowed });
    this.#is_known = true;
  }

  #lower(allowed: number): void {
    this.#is_trial = false;
    this.#allow(allowed);
  }

  #allow(allowed: number): void {
    this.#changed_at_ms = this.#options.timers.monotonicNow();
    this.#allowed = Math.min(allowed, this.#options.wanted);
    this.#shareOut();
  }

  #shareOut(): void {
    const shares = sharesOf(this.#allowed);
    for (const [pool, share] of this.#pools) pool.resize(shares[share]);
  }

  /** Those that are open, and those that are being opened. */
  #totalCount(): number {
    return [...this.#pools.keys()].reduce((sum, { totalCount }) => sum + totalCount, 0);
  }

  #openCount(): number {
    return [...this.#pools.keys()].reduce((sum, { open_clients }) => sum + open_clients.size, 0);
  }
}

/** A pool whose size changes, and whose callers wait when the server refuses a connection. */
export class LimitedPool extends pg.Pool {
  readonly open_clients = new Set<pg.PoolClient>();
  readonly #limit: ConnectionLimit;
  /** The first connection, while it is being opened. */
  #first: Promise<unknown> | null = null;

  constructor(limit: ConnectionLimit, share: keyof ConnectionShares, config: pg.PoolConfig) {
    super(config);
    this.#limit = limit;
    this.on('connect', (client) => this.open_clients.add(client));
    this.on('remove', (client) => this.open_clients.delete(client));
    this.on('release', (_error, client) => {
      // The pool closes a client that is ending.
      if (this.totalCount > this.options.max) void client.end();
    });
    limit.add(share, this);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  // biome-ignore lint/suspicious/noConfusingVoidType: as the overloads of the base class
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const { connectionTimeoutMillis: ms_max = Number.POSITIVE_INFINITY } = this.options;
    const connecting = this.#limit.connect(ms_max, () => this.#connectAfterFirst());
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, nothing),
    );
  }

  /**
   * Without an open connection one caller opens the first, and the others share its failure: the
   * server would also refuse each of them.
   */
  async #connectAfterFirst(): Promise<pg.PoolClient> {
    while (this.open_clients.size === 0 && this.#first !== null) await this.#first;
    if (this.open_clients.size > 0) return await super.connect();
    const connecting = this.#limit.connectFirst(() => super.connect());
    this.#first = connecting;
    try {
      return await connecting;
    } finally {
      this.#first = null;
    }
  }

  /** Closes what is beyond the new size: idle clients now, others when they are released. */
  resize(max: number): void {
    this.options.max = max;
    const count = Math.min(this.idleCount - this.waitingCount, this.totalCount - max);
    for (let left = count; left > 0; left -= 1) this.closeIdle().catch(nothing);
  }

  /** Closes an idle client that no caller waits for. Resolves when the server has also closed it. */
  async closeIdle(): Promise<void> {
    const client = await super.connect();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    client.once('end', resolve);
    client.release(true);
    const giveUp = () => {
      closeNow(client);
      resolve();
    };
    const cancel = this.#limit.timers.after(close_ms_max, giveUp, { keeps_alive: false });
    await closed;
    cancel();
  }
}

const nothing = (): void => undefined;

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  // biome-ignore lint/suspicious/noExplicitAny: as in the base class
  done: (release?: any) => void,
) => void;

/** The process has as many connections as it may have, and uses each of them. */
class AllInUse extends Error {
  override readonly name = 'AllInUse';
  /** That of Postgres for a refused connection. */
  readonly code = '53300';

  constructor() {
    super('all connections to the database are in use');
  }
}

/** Postgres, and then poolers, which have no code of their own for it. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === '53300') return true;
  return /no more connections allowed|max clients reached|too many (connections|clients)/i.test(error.message);
}

/**
 * Looks up how many connections the server gives this role in this database. A pooler may give
 * fewer, which shows when it refuses one. Throws a `Fault` when there can never be enough.
 */
export async function findConnections(limit: ConnectionLimit, pool: pg.Pool): Promise<Connections> {
  const { rows } = await pool.query<Limit>(select_limits).catch((error: unknown) => {
    throw faultOf(error);
  });
  const most = Math.min(...rows.map(({ most }) => most));
  if (most < database_connections_min) {
    throw new Fault(
      `the server gives this role ${most} connections and at least ${database_connections_min} are needed: raise the connection limit of the role or of the database`,
      { retryable: false },
    );
  }
  return limit.expect(Math.min(...rows.map(({ most, used }) => most - used)));
}

interface Limit {
  /** What it would be without other clients. */
  readonly most: number;
  readonly used: number;
}

/** Of the role, of the database and of the server. Nothing limits the role of an administrator. */
const select_limits = `with others as (select * from pg_stat_activity where datid is not null and pid <> pg_backend_pid()),
  limits (most, used) as (
    select nullif(rolconnlimit, -1), (select count(*) from others where usesysid = oid)
      from pg_roles where rolname = session_user and not rolsuper
    union all
    select nullif(datconnlimit, -1), (select count(*) from others where datid = oid)
      from pg_database where datname = current_database()
    union all
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0), (select count(*) from others)
  )
  select most::int as most, used::int as used from limits where most is not null`;
