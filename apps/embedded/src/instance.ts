import type { Subscriber } from '@tallystick/events';
import { Fault, rootMessageOf, type Timers } from '@tallystick/kernel';
import { createLifecycle } from '@tallystick/koa';
import { NewerSchema, OlderSchema, type Persistence, UnusableHandle, UnusableSchema } from '@tallystick/mikro-orm';
import type { Calls } from '@tallystick/operations';
import type { Container } from 'inversify';
import { closeContainer } from './composition/container.ts';
import { UnusableKeysFile } from './composition/keys-file.ts';
import { WrongKeys } from './composition/keys-fit.ts';
import { reportConnections } from './composition/report-connections.ts';
import { tokens } from './composition/tokens.ts';
import { findSandboxCompany } from './sandbox/sandbox.ts';
import { UnusableDatabase, UnusableOptions } from './unusable.ts';

export interface Instance {
  readonly container: Container;
  /**
   * Resolves with the operations once the schema and the keys were checked. Rejects with
   * `UnusableDatabase` while the schema is not migrated, and after `close`.
   */
  ready(): Promise<Ready>;
  /** Throws `UnusableDatabase` after `close`. */
  assertOpen(): void;
  /** Does work that `close` waits for. Rejects with `UnusableDatabase` after `close`. */
  during<Result>(work: (ready: Ready) => Promise<Result>): Promise<Result>;
  migrate(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface Ready {
  readonly calls: Calls;
  /** Counts work that `close` waits for. Returns a function to call at its end. */
  readonly enter: () => () => void;
  readonly persistence: Persistence;
  readonly subscriber: Subscriber;
  readonly eventsCommitted: () => void;
}

/** How long `close` waits for requests and calls in flight, milliseconds. */
const in_flight_ms_max = 10_000;

/**
 * Opens the database of the composed parts, and checks keys and schema if it was migrated. Closes
 * everything again if it rejects.
 */
export async function openInstance(container: Container): Promise<Instance> {
  const { accepts_newer_schema: accepts_newer, sandbox } = container.get(tokens.settings);
  // Only `migrate` of the instance changes the schema.
  container.rebind(tokens.migrates).toConstantValue(false);
  let opened: Promise<Ready> | null = null;
  let closing: Promise<void> | null = null;
  let starting: Promise<void> | null = null;
  /** What was in progress at the beginning of `close` has ended. */
  let is_closed = false;
  const calls_in_flight = createLifecycle();

  async function open(): Promise<Ready> {
    await database.migrate({ accepts_newer, only_checks: true });
    if (sandbox) await refuseLive(database);
    // The parts that are taken from the container without waiting later.
    const [, persistence, subscriber, eventsCommitted] = await Promise.all([
      container.getAsync(tokens.http_ports),
      container.getAsync(tokens.persistence),
      container.getAsync(tokens.subscriber),
      container.getAsync(tokens.events_committed),
      container.getAsync(tokens.http_app),
    ]);
    const calls = await container.getAsync(tokens.calls);
    return {
      calls: {
        ...calls,
        // A call with `tx` belongs to a transaction in progress.
        call: (operation_id, asked) =>
          closing === null || (asked.unitOfWork !== undefined && !is_closed)
            ? inFlight(() => calls.call(operation_id, asked))
            : Promise.reject(closed()),
      },
      enter: calls_in_flight.enter,
      persistence,
      subscriber,
      eventsCommitted,
    };
  }

  function ready(): Promise<Ready> {
    if (closing !== null) return Promise.reject(closed());
    opened ??= open().catch((error: unknown) => {
      // The schema may be migrated meanwhile.
      opened = null;
      throw describe(error);
    });
    return opened;
  }

  async function inFlight<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = calls_in_flight.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async function close(): Promise<void> {
    // What is being opened is closed after it is open.
    await Promise.allSettled([opened, starting]);
    const lifecycle = container.get(tokens.lifecycle);
    lifecycle.stop();
    await within(
      container.get(tokens.timers),
      in_flight_ms_max,
      Promise.all([lifecycle.idle(), calls_in_flight.idle()]),
    );
    // A handler of events in progress may still call with its `tx`.
    await container.unbindAsync(tokens.subscriber).catch(() => undefined);
    is_closed = true;
    await closeContainer(container);
  }

  const database = await openDatabase(container).catch(async (error: unknown) => {
    await closeContainer(container);
    throw describeOpening(error);
  });
  const instance: Instance = {
    container,
    ready,
    assertOpen() {
      if (closing !== null) throw closed();
    },
    async migrate() {
      if (closing !== null) await ready();
      await inFlight(() => database.migrate({ accepts_newer })).catch((error: unknown) => {
        throw closing === null ? describe(error) : closed();
      });
      await ready();
    },
    during: (work) => inFlight(async () => await work(await ready())),
    async start() {
      if (closing !== null) await ready();
      starting ??= ready().then(async () => {
        const [jobs, subscriber] = await Promise.all([
          container.getAsync(tokens.jobs),
          container.getAsync(tokens.subscriber),
        ]);
        subscriber.start();
        jobs.start();
      });
      // A start that failed may be tried again, for example after `migrate`.
      starting.catch(() => {
        starting = null;
      });
      await starting;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
  try {
    await ready();
  } catch (error) {
    if (error instanceof NotMigrated) return instance;
    await instance.close();
    throw error instanceof Fault ? cannotBeUsed(error) : error;
  }
  return instance;
}

async function openDatabase(container: Container): Promise<Persistence> {
  const database = await container.getAsync(tokens.database);
  await reportConnections(database, container.get(tokens.logger));
  return database;
}

const closed = () => new UnusableDatabase('this instance is closed: create another one');

/** The database lacks tables of this version. */
class NotMigrated extends UnusableDatabase {}

/** Errors of opening, which come from the options or from the system. */
function describeOpening(error: unknown): unknown {
  if (error instanceof UnusableOptions) return error;
  return error instanceof UnusableSchema || error instanceof UnusableHandle || error instanceof UnusableKeysFile
    ? new UnusableOptions(`createTallystick: ${error.message}`, { cause: error })
    : cannotBeUsed(error);
}

function cannotBeUsed(error: unknown): UnusableDatabase {
  return new UnusableDatabase(`the database cannot be used: ${rootMessageOf(error)}`, { cause: error });
}

/**
 * Refuses a sandbox on the database of a live installation: the keys of a sandbox are public, and
 * its company is one of its own.
 */
async function refuseLive({ unitOfWork }: Pick<Persistence, 'unitOfWork'>): Promise<void> {
  const is_live = await unitOfWork.read(async (tx) => {
    const { items } = await tx.companies.list({ limit: 1 });
    return items.length > 0 && (await findSandboxCompany(tx)) === undefined;
  });
  if (!is_live) return;
  throw new UnusableDatabase(
    'the database has companies of a live installation, and the keys of a sandbox are public: leave out sandbox, or name another database',
  );
}

/** Errors of the database as one sentence of what to do. */
function describe(error: unknown): unknown {
  if (error instanceof UnusableSchema) return new UnusableDatabase(error.message, { cause: error });
  if (error instanceof OlderSchema) {
    const is_empty = error.migrations.some((name) => name.startsWith('0001-'));
    return new NotMigrated(
      is_empty
        ? 'the database has no tables of Tallystick: call migrate() first, or check the options database and schema'
        : `the database has the schema of an older version (${error.migrations.join(', ')} is missing): call migrate() first`,
      { cause: error },
    );
  }
  if (error instanceof NewerSchema) {
    return new UnusableDatabase(
      `the database was migrated by a newer version of Tallystick: this one does not know ${error.migrations.join(', ')}. Install the newer version, or set accepts_newer_schema to return to this one`,
      { cause: error },
    );
  }
  if (error instanceof WrongKeys) {
    return new UnusableDatabase(
      `the keys do not fit the database: ${error.message}. Use the keys that were last used with it`,
      { cause: error },
    );
  }
  return error;
}

async function within({ after }: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  const end = Promise.withResolvers<void>();
  const cancel = after(ms, end.resolve);
  await Promise.race([work, end.promise]);
  cancel();
}
