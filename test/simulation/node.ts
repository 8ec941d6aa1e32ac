import type { MemoryPersistence } from '@tallystick/memory';
import type { ReconciliationPorts } from '@tallystick/reconciliation';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { pino } from 'pino';
import type { Tallystick } from 'tallystick';
import { createContainer, openContainer, readOptions, tokens } from 'tallystick/inversify';
import { Authorisation } from './authorisation.ts';
import type { Machine } from './machine.ts';
import { storageOfProcess } from './storage.ts';
import type { World } from './world.ts';

/** A process of the service, as a host composes it, on the simulated parts of a world. */
export interface Node {
  readonly machine: Machine;
  readonly tally: Tallystick;
  readonly authorisation: Authorisation;
  /** Of a rebuild, which is a command. */
  readonly ports: ReconciliationPorts;
  /** Ends it orderly. */
  stop(): Promise<void>;
}

/** Starts a process on the storage of the world. */
export async function startNode(world: World, machine: Machine): Promise<Node> {
  const { name } = machine;
  const random = world.random.branch(`node ${name}`);
  const timers = world.time.timersOf(machine);
  const persistence = await world.storage.open(machine, {
    timersOf: (machine) => world.time.timersOf(machine),
    random,
    audit_mac: world.audit_mac,
  });
  const { bug } = world;
  // Bugs are planted in memory only.
  const planted = bug?.persistence?.(persistence as MemoryPersistence) ?? persistence;
  const sender = world.receivers.senderOf(machine);
  const mailer = world.mail_server.mailerOf(machine);
  const container = createContainer(readOptions({ database: world.storage.database_url, keys: world.key_ring }));
  container.bind(tokens.logger).toConstantValue(watchedLog(world, name));
  await container.unbind(tokens.timers);
  container.bind(tokens.timers).toConstantValue(timers).whenNoParentIs(tokens.subscriber);
  // It finds nothing to do until an event is due, and its loops are no chain of waits.
  const polls = world.time.timersOf(machine, { only_polls: true });
  container.bind(tokens.timers).toConstantValue(polls).whenParentIs(tokens.subscriber);
  container.rebind(tokens.random).toConstantValue(random);
  const storage = storageOfProcess(planted, machine, world.storage_faults);
  container.rebind(tokens.database).toConstantValue(storage);
  container.rebind(tokens.webhook_sender).toConstantValue(bug?.sender?.(sender) ?? sender);
  container.rebind(tokens.mailer).toConstantValue(bug?.mailer?.(mailer, timers) ?? mailer);
  container.rebind(tokens.delivery_queue).toConstantValue(world.queue.of(machine));
  const tally = await openContainer(container);
  await tally.migrate();
  await tally.start();
  await world.subscribers.subscribe(tally, machine);
  return {
    machine,
    tally,
    authorisation: new Authorisation(storage.unitOfWork, timers, createVault(parseKeyRing(world.key_ring), { random })),
    ports: { unitOfWork: storage.long_work, clock: timers },
    async stop() {
      try {
        await tally.close();
        await persistence.close();
      } finally {
        machine.die();
      }
    },
  };
}

/** Errors of handlers that fail, and of those that hold their transaction for too long. */
const handler_errors: readonly string[] = ['HandlerFailed', 'UnusableTransaction'];

/** An error that is no fault of the storage, nor of a handler, is a bug. */
function watchedLog(world: World, name: string) {
  return pino(
    { level: 'error', base: null, timestamp: false },
    {
      write(line: string) {
        const { err, msg } = JSON.parse(line) as {
          err?: { type: string; message: string; stack: string };
          msg: string;
        };
        if (err === undefined || err.type === 'Fault' || handler_errors.includes(err.type)) return;
        world.report('log', `${name}: ${msg}: ${err.type} ${err.message}\n${err.stack}`);
      },
    },
  );
}
