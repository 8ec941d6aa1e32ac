import { UnusableTransaction } from '@tallystick/kernel';
import type { Container } from 'inversify';
import { createContainer } from './composition/container.ts';
import { hostModule } from './composition/host-module.ts';
import { tokens } from './composition/tokens.ts';
import { openHostLog } from './host-log.ts';
import { openInstance } from './instance.ts';
import { createOperationGroups } from './operations/create-operation-groups.ts';
import type { OperationGroups } from './operations/operation-groups.ts';
import type { TallystickOptions } from './options.ts';
import { readOptions } from './read-options.ts';
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
  /** The metrics of this instance, in the text format of Prometheus. */
  metrics(): Promise<string>;
  /**
   * Finishes what is in progress and closes the connections, but no handle that the host has passed
   * in. May be called twice.
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

  async function makeGroups(): Promise<void> {
    const { operations } = await instance.ready();
    groups ??= createOperationGroups({
      operations,
      joining: () => {
        throw new UnusableTransaction('no transaction of a host can be joined');
      },
    });
  }

  /** The groups; throws while the database is not migrated. */
  function known(): OperationGroups {
    if (groups === null) throw new UnusableDatabase('the database has no tables of this version: call migrate() first');
    return groups;
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
      await instance.ready();
      return await instance.container.get(tokens.metrics).read();
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
