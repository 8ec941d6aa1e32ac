import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '@tallystick/kernel';
import { database_names, migratedDatabase } from '@tallystick/test-support';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { pino } from 'pino';
import { createKeys, type Tallystick } from 'tallystick';
import {
  closeContainer,
  createContainer,
  keys_module,
  modules,
  network_module,
  openContainer,
  openHostLog,
  readOptions,
  storage_module,
  time_module,
  tokens,
} from 'tallystick/inversify';
import { keptRequests } from './own-ports.ts';

const log = openHostLog(pino({ level: 'silent' }));

/** A part of the host that depends on a part of Tallystick. */
interface Greeting {
  readonly text: string;
}

const greeting = Symbol('greeting') as ServiceIdentifier<Greeting>;

const host_module = new ContainerModule(({ bind }) => {
  bind(greeting).toResolvedValue(
    (clock: Clock) => ({ text: `It is ${new Date(clock.nowMs()).toISOString()}` }),
    [tokens.clock],
  );
});

async function createCompany({ operator }: Tallystick): Promise<string> {
  const { id } = await operator.companies.create({ name: 'Example', customer_number: '1' });
  const real_card = { company_id: id, alias: 'Travel', billing_currency: 'USD', account_range: '555555' };
  await operator.realCards.create(real_card);
  return id;
}

describe('a host on Inversify', () => {
  for (const name of database_names) {
    it(`rebinds the sender and the clock, and loads a module of its own beside, on ${name}`, async (t) => {
      const scratch = await migratedDatabase(name);
      t.after(() => scratch.dispose());
      const sender = keptRequests();
      let now_ms = Date.UTC(2026, 4, 1);
      const container = createContainer(readOptions({ database: scratch.database_url, keys: await createKeys() }));
      container.bind(tokens.logger).toConstantValue(log);
      container.rebind(tokens.webhook_sender).toConstantValue(sender);
      container.rebind(tokens.clock).toConstantValue({ nowMs: () => now_ms });
      container.load(host_module);
      await using tally = await openContainer(container);
      await tally.migrate();
      await tally.start();

      const company = tally.company(await createCompany(tally));
      await company.webhooks.create({ callback_url: 'https://hooks.example.com', event_type_ids: [2] });
      now_ms += 60_000;
      await company.cards.issue({ total_card_amount: 5_000 });
      const { created_at } = await tally.operator.companies.create({ name: 'Second', customer_number: '2' });
      assert.equal(Date.parse(created_at), now_ms, 'the clock of the host');
      await sender.arrived(1);
      assert.equal(sender.requests[0]?.callback_url, 'https://hooks.example.com');
      assert.equal(container.get<Greeting>(greeting).text, 'It is 2026-05-01T00:01:00.000Z');
      await tally.close();
      assert.equal(sender.is_closed, false, 'what the host has bound stays open');
      assert.equal(
        container.get<Greeting>(greeting).text,
        'It is 2026-05-01T00:01:00.000Z',
        'the container still works',
      );
    });
  }

  it('opens two containers, whose parts are apart', async () => {
    const open = async () => {
      const container = createContainer(readOptions({ database: 'sqlite::memory:', keys: await createKeys() }));
      container.bind(tokens.logger).toConstantValue(log);
      const tally = await openContainer(container);
      await tally.migrate();
      return { container, tally };
    };
    const one = await open();
    const other = await open();
    await createCompany(one.tally);
    assert.deepEqual((await other.tally.operator.companies.list()).items, []);
    assert.notEqual(await one.container.getAsync(tokens.vault), await other.container.getAsync(tokens.vault));
    await one.tally.close();
    await createCompany(other.tally);
    await other.tally.close();
  });

  it('loads only the modules that it needs into its own container', async (t) => {
    const scratch = await migratedDatabase('sqlite');
    t.after(() => scratch.dispose());
    const container = new Container({ defaultScope: 'Singleton' });
    container
      .bind(tokens.settings)
      .toConstantValue(readOptions({ database: scratch.database_url, keys: await createKeys() }));
    container.bind(tokens.logger).toConstantValue(log);
    container.load(keys_module, time_module, storage_module, host_module);
    const { unitOfWork } = await container.getAsync(tokens.persistence);
    await unitOfWork.run((tx) =>
      tx.companies.insert({ name: 'Example', customer_number: '1', created_at_ms: 0 } as never),
    );
    assert.match(container.get<Greeting>(greeting).text, /^It is 2/);
    assert.equal(container.isBound(tokens.webhook_sender), false);
    assert.equal(container.isBound(tokens.http_app), false);
    await closeContainer(container);
    assert.throws(() => container.get(tokens.database), 'the database was closed with its binding');
  });

  it('reads one sentence when it forgets the logger, whichever part it takes first', async () => {
    const settings = readOptions({ database: 'sqlite::memory:', keys: await createKeys() });
    const forgotten = {
      name: 'UnusableOptions',
      message:
        'tokens.logger is not bound: call container.bind(tokens.logger).toConstantValue(openHostLog(options.logger)) before the first use',
    };
    await assert.rejects(openContainer(createContainer(settings)), forgotten);
    const all = Object.values(tokens).filter((token) => token !== tokens.logger) as ServiceIdentifier[];
    let refused = 0;
    for (const token of all) {
      const container = new Container({ defaultScope: 'Singleton' });
      container.bind(tokens.settings).toConstantValue(settings);
      container.load(...modules);
      await container.getAsync(token).catch((error: Error) => {
        refused += 1;
        assert.partialDeepStrictEqual({ name: error.name, message: error.message }, forgotten);
      });
    }
    assert.ok(refused > 10, `${refused} tokens`);
  });

  it('is refused with the token that a module lacks', async () => {
    const container = new Container({ defaultScope: 'Singleton' });
    container
      .bind(tokens.settings)
      .toConstantValue(readOptions({ database: 'sqlite::memory:', keys: await createKeys() }));
    container.load(keys_module, time_module, storage_module, network_module);
    await assert.rejects(container.getAsync(tokens.network), /tallystick\.(metrics|events_committed|decision_maker)/);
  });
});
