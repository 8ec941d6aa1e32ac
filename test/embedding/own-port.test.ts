import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';
import { card_vault_contract, casesOf, mailer_contract, type VaultOfRing } from '@tallystick/harness';
import { database_names, migratedDatabase, propertyParameters } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { verifyDelivery } from '@tallystick/webhook-signature';
import fc from 'fast-check';
import {
  createKeys,
  createTallystick,
  type Tallystick,
  type TallystickOptions,
  type TallystickPorts,
} from 'tallystick';
import { type HostKey, hostVault, httpMailer, keptRequests, mailService } from './own-ports.ts';

fc.configureGlobal(propertyParameters());

const hostKey = (id: string): HostKey => ({ id, material: randomBytes(32) });

/** An instance with a company that has a card account, and ports of the host. */
async function openWith(
  ports: TallystickPorts,
  options: Pick<Partial<TallystickOptions>, 'database' | 'keys' | 'logger'> = {},
) {
  const tally = await createTallystick({
    database: 'sqlite::memory:',
    keys: options.keys ?? (await createKeys()),
    public_url: 'https://shop.example/cards',
    ...options,
    ports,
  });
  await tally.migrate();
  return tally;
}

async function createCompany({ operator }: Tallystick): Promise<string> {
  const { id } = await operator.companies.create({ name: 'Example', customer_number: '1' });
  const real_card = { company_id: id, alias: 'Travel', billing_currency: 'USD', account_range: '555555' };
  await operator.realCards.create(real_card);
  return id;
}

describe('a vault of the host', () => {
  const { sealer } = createVault(parseKeyRing(Buffer.alloc(32, 'own').toString('base64')));
  const open = async () => {
    const [old_key, new_key] = [hostKey('2025'), hostKey('2026')];
    const index_key = randomBytes(32);
    const ring = (...keys: [HostKey, ...HostKey[]]): VaultOfRing => ({
      card_vault: hostVault(keys, index_key),
      sealer,
      newest_key_id: keys[0].id,
    });
    return { before: ring(old_key), after: ring(new_key, old_key), newest_only: ring(new_key) };
  };
  for (const { name, run } of casesOf(card_vault_contract, open)) it(`keeps the contract: ${name}`, run);

  it('seals the numbers of every card, and opens them in another process with the same keys', async (t) => {
    for (const name of database_names) {
      const scratch = await migratedDatabase(name);
      t.after(() => scratch.dispose());
      const keys = await createKeys();
      const numbers = hostVault([hostKey('2026')], randomBytes(32));
      const options = { database: scratch.database_url, keys };
      const tally = await openWith({ numbers }, options);
      const company_id = await createCompany(tally);
      const { id, card_number } = await tally
        .company(company_id)
        .cards.issue({ total_card_amount: 5_000 }, { show_card_number: true });
      await tally.close();
      await using again = await openWith({ numbers }, options);
      const shown = await again.company(company_id).cards.read(id, { show_card_number: true });
      assert.equal(shown.card_number, card_number);
      const answer = await again.network.authorize({
        card_number,
        message_type_indicator: 'Authorization Request',
        trace_id: 'one',
        system_trace_audit_number: '000001',
        transaction_date_time: new Date().toISOString(),
        billing_amount: 1_250,
        billing_currency: 'USD',
        merchant_amount: 1_250,
        merchant_currency: 'USD',
        mcc: '5411',
      });
      assert.deepEqual(
        [answer.decline_reason, answer.vcn_id],
        [null, Number(id)],
        'the index of the host finds the card',
      );
    }
  });

  it('is needed to open its database: another vault is refused in one sentence', async (t) => {
    const scratch = await migratedDatabase('sqlite');
    t.after(() => scratch.dispose());
    const options = { database: scratch.database_url, keys: await createKeys() };
    const tally = await openWith({ numbers: hostVault([hostKey('2026')], randomBytes(32)) }, options);
    await tally.company(await createCompany(tally)).cards.issue({ total_card_amount: 5_000 });
    await tally.close();
    for (const ports of [{}, { numbers: hostVault([hostKey('2026')], randomBytes(32)) }]) {
      await assert.rejects(openWith(ports, options), { name: 'UnusableDatabase', message: /keys do not fit/ });
    }
  });
});

describe('a mailer of the host', () => {
  const services: Awaited<ReturnType<typeof mailService>>[] = [];
  after(async () => {
    for (const service of services) await service.close();
  });
  const open = async () => {
    const service = await mailService();
    services.push(service);
    return {
      mailer: httpMailer(service.url),
      impatient_mailer: httpMailer(service.url, 200),
      receives: service.receives,
      received: () => service.received,
      arrived: service.arrived,
      release: service.release,
    };
  };
  for (const { name, run } of casesOf(mailer_contract, open)) it(`keeps the contract: ${name}`, run);

  it('sends the mails about cards, and is open after close()', async (t) => {
    const service = await mailService();
    t.after(() => service.close());
    const mailer = httpMailer(service.url);
    const tally = await openWith({ mailer });
    t.after(() => tally.close());
    const company_id = await createCompany(tally);
    await tally.start();
    const { cards } = tally.company(company_id);
    const card = await cards.issue({ total_card_amount: 5_000 });
    await cards.email(card.id, { email: 'ann@example.com' });
    await service.arrived(1);
    const [message] = service.received;
    assert.equal(message?.to, 'ann@example.com');
    assert.match(message.text, /https:\/\/shop\.example\/cards\//, 'the link has the public address of the host');
    await tally.close();
    assert.deepEqual(await mailer.send({ to: 'bob@example.com', subject: 's', text: 't', html: 'h' }), {
      kind: 'taken',
    });
  });
});

describe('a sender of the host', () => {
  it('gets every delivery, correctly signed, and is open after close()', async (t) => {
    const sender = keptRequests();
    const tally = await openWith({ sender });
    t.after(() => tally.close());
    const company = tally.company(await createCompany(tally));
    const callback_url = 'https://hooks.example.com/cards';
    const { secret } = await company.webhooks.create({ callback_url, event_type_ids: [2] });
    await tally.start();
    const card = await company.cards.issue({ total_card_amount: 5_000 });
    await sender.arrived(1);
    const [request] = sender.requests;
    assert.equal(request?.callback_url, callback_url);
    const { headers, body } = request;
    const verification = await verifyDelivery({ headers, body }, { secrets: secret!, callback_url });
    assert.equal(verification.verified, true, JSON.stringify(verification));
    assert.ok(body.includes(`"${card.id}"`) || body.includes(`:${card.id}`), body);
    const altered = await verifyDelivery({ headers, body: `${body} ` }, { secrets: secret!, callback_url });
    assert.equal(altered.verified, false);
    await tally.close();
    assert.equal(sender.is_closed, false);
    assert.equal(sender.requests.length, 1, 'a delivery that succeeded is not sent again');
  });
});

/** A queue in memory, as an object of a class. */
class OwnQueue implements DeliveryQueue {
  readonly #waiting: DeliveryOffer[] = [];
  #pass: ((offers: readonly DeliveryOffer[]) => void) | null = null;
  is_closed = false;

  async offer(offers: readonly DeliveryOffer[]): Promise<void> {
    if (this.#pass === null) this.#waiting.push(...offers);
    else this.#pass(offers);
  }

  async consume(accept: (offers: readonly DeliveryOffer[]) => void): Promise<void> {
    this.#pass = accept;
    accept(this.#waiting.splice(0));
  }

  async depth(): Promise<number> {
    return this.#waiting.length;
  }

  async close(): Promise<void> {
    this.is_closed = true;
  }
}

describe('a queue of the host', () => {
  it('may be an object of a class, carries deliveries, and is open after close()', async (t) => {
    const sender = keptRequests();
    const delivery_queue = new OwnQueue();
    const errors: unknown[] = [];
    const quiet = () => {};
    const error = (fields: object) => void errors.push(fields);
    const logger = { debug: quiet, info: quiet, warn: quiet, error };
    const tally = await openWith({ sender, delivery_queue }, { logger });
    t.after(() => tally.close());
    const company = tally.company(await createCompany(tally));
    await company.webhooks.create({ callback_url: 'https://hooks.example.com/cards', event_type_ids: [2] });
    await tally.start();
    await company.cards.issue({ total_card_amount: 5_000 });
    await sender.arrived(1);
    assert.match(await tally.metrics(), /delivery_queue_depth 0/);
    await tally.close();
    assert.equal(delivery_queue.is_closed, false);
    assert.deepEqual(errors, []);
  });
});

describe('ports of the host that reject, which they must not', () => {
  it('count as a failed attempt, and are logged', async (t) => {
    const rejecting = {
      send: () => Promise.reject(new Error('a mistake of the host')),
      close: async () => {},
    };
    const logged = new Set<string>();
    const quiet = () => {};
    const logger = {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (_: object, text: string) => void logged.add(text),
    };
    const tally = await openWith({ sender: rejecting, mailer: rejecting }, { logger });
    t.after(() => tally.close());
    const company = tally.company(await createCompany(tally));
    const webhook = await company.webhooks.create({
      callback_url: 'https://hooks.example.com/cards',
      event_type_ids: [2],
    });
    await tally.start();
    await company.cards.issue({ total_card_amount: 5_000, emails: ['anna@example.com'] });
    const mail = await eventually(async () => {
      const [first] = (await tally.operator.mails.list()).items;
      return first !== undefined && first.attempts > 0 ? first : null;
    });
    assert.equal(mail.error, 'mailer rejected');
    const delivery = await eventually(async () => {
      const [first] = (await company.webhooks.deliveries.list(webhook.id)).items;
      return first !== undefined && first.attempts.length > 0 ? first : null;
    });
    assert.equal(delivery.attempts[0]?.error, 'connection_failed: sender rejected');
    assert.ok(
      [...logged].some((text) => text.includes('ports.mailer rejected')),
      [...logged].join('; '),
    );
    assert.ok(
      [...logged].some((text) => text.includes('ports.sender rejected')),
      [...logged].join('; '),
    );
  });
});

/** Reads until there is a value, at most 20 s. */
async function eventually<Value>(read: () => Promise<Value | null>): Promise<Value> {
  for (const end_ms = performance.now() + 20_000; performance.now() < end_ms; await nextTurn()) {
    const value = await read();
    if (value !== null) return value;
  }
  throw new Error('it did not happen within 20 s');
}
