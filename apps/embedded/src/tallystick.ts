import { AsyncLocalStorage } from 'node:async_hooks';
import type * as events from '@tallystick/events';
import type { SubscribeOptions, Subscriber, SubscriptionReading } from '@tallystick/events';
import { Refusal } from '@tallystick/kernel';
import {
  createFetchHandler,
  createKoaMiddleware,
  createNodeHandler,
  type FetchHandler,
  type MountedApp,
  type MountOptions,
  type NodeHandler,
} from '@tallystick/koa';
import type { Container } from 'inversify';
import { createContainer } from './composition/container.ts';
import { type ConsoleMountOptions, hostConsole } from './composition/host-console.ts';
import { hostModule } from './composition/host-module.ts';
import { tokens } from './composition/tokens.ts';
import { openHostLog } from './host-log.ts';
import { openInstance } from './instance.ts';
import { createOperationGroups } from './operations/create-operation-groups.ts';
import type { EventListener, SubscribableType, SubscriptionHandler } from './operations/logged-events.ts';
import type { OperationGroups } from './operations/operation-groups.ts';
import type { TallystickOptions } from './options.ts';
import { readOptions } from './read-options.ts';
import { transaction } from './tx/transaction.ts';
import { UnusableDatabase } from './unusable.ts';

/** An open instance: the use cases, and the life of the instance. */
export interface Tallystick extends OperationGroups, AsyncDisposable {
  /**
   * Creates the tables, or brings them to this version. Safe to call at every start, and by several
   * processes at the same time: one works and the others wait. Rejects with `UnusableDatabase` when
   * a newer version has migrated the database.
   */
  migrate(): Promise<void>;
  /**
   * Starts the work in the background: deliveries, mails, holds that end, templates, items of
   * reconciliation, subscriptions. At least one process of an installation must do it. A process
   * that only decides does not call it.
   */
  start(): Promise<void>;
  /**
   * Begins a transaction on a handle of the host, calls `work` with it and with what the host's own
   * code uses within it, and commits when `work` resolves, else rolls back. Calls take part by
   * `{ tx }`. See `tallystick/tx`.
   */
  readonly transaction: typeof transaction;
  /**
   * Handles the events of these types from now on, or from `{ from: 'beginning' }`: `all`, or names
   * as webhooks have them. What the handler writes through `tx` commits together with the position
   * of the subscription, so its effect happens exactly once. Several processes may subscribe with
   * one name: one of them works at a time, and another takes over when it dies. Handlers run after
   * `start`. A handler that rejects has the same events again; no event is passed over.
   */
  subscribe<Name extends SubscribableType>(
    name: string,
    event_types: readonly Name[],
    handler: SubscriptionHandler<Name>,
    options?: SubscribeOptions,
  ): Promise<void>;
  /**
   * Removes a subscription and its position, in all processes. Returns whether it was known. Refuses
   * (`conflict`) when its own handler asks.
   */
  unsubscribe(name: string): Promise<boolean>;
  /** All subscriptions of the database, with what waits for them. */
  subscriptions(): Promise<readonly SubscriptionReading[]>;
  /**
   * Calls the listener for the events of these types that are committed from now on, after `start`.
   * For metrics only: events are lost when the process ends, or when it falls behind. Returns a
   * function that ends it.
   */
  on<Name extends SubscribableType>(event_types: readonly Name[], listener: EventListener<Name>): () => void;
  /**
   * The HTTP interface as a handler for `node:http`, Express and Fastify, under any path. It has to
   * come before every body parser.
   */
  nodeHandler(options?: MountOptions): NodeHandler;
  /** The same as a middleware of Koa. */
  koaMiddleware(options?: MountOptions): ReturnType<typeof createKoaMiddleware>;
  /** The same as a function of the Fetch standard, for Hono and others. */
  fetchHandler(options?: MountOptions): FetchHandler;
  /**
   * The console as a handler for `node:http`, Express and Fastify, under any path, with the log-in of
   * the host: `person` says who a request comes from, and in which roles; null: nobody (403). It has
   * to come before every body parser.
   */
  console(options: ConsoleMountOptions): NodeHandler;
  /** Answers one request, with nothing before the paths of the interface. */
  fetch(request: Request): Promise<Response>;
  /** The metrics of this instance, in the text format of Prometheus. */
  metrics(): Promise<string>;
  /**
   * Waits for the calls, transactions and requests in progress, at most 10 s, and closes the
   * connections, but no handle that the host has passed in. Other calls reject with
   * `UnusableDatabase` from then on. May be called twice.
   */
  close(): Promise<void>;
}

/** Opens the database and composes an instance, as `createTallystick` describes. */
export async function openTallystick(options: TallystickOptions): Promise<Tallystick> {
  const container = createContainer(readOptions(options));
  container.load(hostModule(options, openHostLog(options.logger)));
  return await openContainer(container);
}

/**
 * The same for parts that a host has composed: `createContainer(readOptions(options))`, with
 * `tokens.logger` bound and the replaced tokens rebound. `close` closes the parts.
 */
export async function openContainer(container: Container): Promise<Tallystick> {
  const instance = await openInstance(container);
  let groups: OperationGroups | null = null;
  let subscriber: Subscriber | null = null;
  /** The name of the subscription whose handler runs. Its end would wait for itself. */
  const handling = new AsyncLocalStorage<{ readonly name: string; is_running: boolean }>();
  let fetch: FetchHandler | null = null;

  async function makeGroups(): Promise<void> {
    const { calls, enter, persistence, ...ready } = await instance.ready();
    groups ??= createOperationGroups({ calls, enter, joining: (host) => persistence.joining(host) });
    subscriber = ready.subscriber;
  }

  /** The groups; throws while the database is not migrated. */
  function known(): OperationGroups {
    if (groups === null) throw notMigrated();
    return groups;
  }

  /** What was written in the transaction may have been events. */
  function runTransaction(handle: never, work: never): Promise<unknown> {
    return instance.during(async ({ eventsCommitted }) => {
      const result = await transaction(handle, work);
      eventsCommitted();
      return result;
    });
  }

  /** The HTTP interface. Open Banking and its document need what is known once it is ready. */
  function app(): MountedApp {
    known();
    return instance.container.get(tokens.http_app);
  }

  // Without tables there are no groups yet, and `migrate` makes them.
  await makeGroups().catch((error: unknown) => {
    if (!(error instanceof UnusableDatabase)) throw error;
  });
  return {
    async migrate() {
      await instance.migrate();
      await makeGroups();
    },
    start: () => instance.start(),
    async metrics() {
      return await instance.during(() => instance.container.get(tokens.metrics).read());
    },
    transaction: runTransaction as typeof transaction,
    async subscribe(name, event_types, handler, subscribe_options) {
      // The log has these payloads under these names.
      const of_any = handler as unknown as events.SubscriptionHandler;
      const marked: events.SubscriptionHandler = async (handed, tx) => {
        const run = { name, is_running: true };
        try {
          await handling.run(run, () => of_any(handed, tx));
        } finally {
          run.is_running = false;
        }
      };
      // What is no function is refused by its name.
      const given = typeof handler === 'function' ? marked : of_any;
      await instance.during(({ subscriber }) => subscriber.subscribe(name, event_types, given, subscribe_options));
    },
    async unsubscribe(name) {
      const run = handling.getStore();
      if (run?.name === name && run.is_running) {
        throw new Refusal(
          'conflict',
          `the handler of ${name} cannot remove its own subscription: call unsubscribe after it`,
        );
      }
      return await instance.during(({ subscriber }) => subscriber.unsubscribe(name));
    },
    subscriptions: () => instance.during(({ subscriber }) => subscriber.list()),
    on(event_types, listener) {
      instance.assertOpen();
      if (subscriber === null) throw notMigrated();
      return subscriber.on(event_types, listener as unknown as events.EventListener);
    },
    nodeHandler: (mount) => createNodeHandler(app(), mount),
    koaMiddleware: (mount) => createKoaMiddleware(app(), mount),
    fetchHandler: (mount) => createFetchHandler(app(), mount),
    console: (options) => hostConsole(instance.container, options),
    async fetch(request) {
      fetch ??= createFetchHandler(app());
      return await fetch(request);
    },
    close: () => instance.close(),
    [Symbol.asyncDispose]: () => instance.close(),
    company: (company_id) => known().company(company_id),
    get network() {
      return known().network;
    },
    get bank() {
      return known().bank;
    },
    get operator() {
      return known().operator;
    },
    get sandbox() {
      return known().sandbox;
    },
  };
}

const notMigrated = () =>
  new UnusableDatabase(
    'the database has no tables of this version: call migrate() first, or check the options database and schema',
  );
