import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  type DatabaseName,
  database_names,
  postgres_url,
  type ScratchDatabase,
  scratchDatabase,
} from '@tallystick/test-support';
import pg from 'pg';
import { createKeys } from 'tallystick';
import { express_host } from './hosts/express-host.ts';
import { fastify_host } from './hosts/fastify-host.ts';
import { hono_host } from './hosts/hono-host.ts';
import type { HostApplication, LedgerEntry, Order, OrderRequest, RunningHost } from './hosts/host.ts';
import { koa_host } from './hosts/koa-host.ts';

interface Reply {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  readonly json: any;
}

async function request(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  const text = await response.text();
  const is_json = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, text, json: is_json ? JSON.parse(text) : undefined };
}

/**
 * Fails while a connection of the host or of Tallystick is open. Postgres waits for those that are
 * ending.
 */
async function dropUnused({ database_url }: ScratchDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: postgres_url });
  await client.connect();
  try {
    await client.query(`drop database "${new URL(database_url).pathname.slice(1)}"`);
  } finally {
    await client.end();
  }
}

function hostSuite(application: HostApplication, database: DatabaseName): void {
  describe(`${application.name} on ${database}`, { skip: !database_names.includes(database) }, () => {
    let scratch: ScratchDatabase;
    let host: RunningHost;
    let keys: string;
    let key: string;

    before(async () => {
      scratch = await scratchDatabase(database);
      keys = await createKeys();
      host = await application.open({ database_url: scratch.database_url, keys });
      const { operator } = host.tally;
      key = (await operator.keys.create({ role: 'client', name: 'shop', company_id: host.company_id })).key!;
    });

    after(async () => {
      await host?.close();
      try {
        if (scratch !== undefined && database === 'postgres') await dropUnused(scratch);
      } finally {
        await scratch?.dispose();
      }
    });

    function place(order: OrderRequest): Promise<Reply> {
      const headers = { 'Content-Type': 'application/json' };
      return request(`${host.address}/orders`, { method: 'POST', headers, body: JSON.stringify(order) });
    }

    async function placed(order: OrderRequest): Promise<Order> {
      const { status, json, text } = await place(order);
      assert.equal(status, 201, text);
      return json;
    }

    function readCards(path: string): Promise<Reply> {
      return request(`${host.address}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    }

    const cardCount = async () => (await Array.fromAsync(host.tally.company(host.company_id).cards.list())).length;

    /** Decides a purchase of 12.50 USD with the card. */
    async function buy(card_id: string, trace_id: string) {
      const { cards } = host.tally.company(host.company_id);
      const { card_number } = await cards.read(card_id, { show_card_number: true });
      return await host.tally.network.authorize({
        card_number,
        message_type_indicator: 'Authorization Request',
        trace_id,
        system_trace_audit_number: '000001',
        transaction_date_time: new Date().toISOString(),
        billing_amount: 1_250,
        billing_currency: 'USD',
        merchant_amount: 1_250,
        merchant_currency: 'USD',
        mcc: '5411',
      });
    }

    /** The entries of the card, once the subscription has handled every event. */
    async function ledgerOf(card_id: string, count: number): Promise<readonly LedgerEntry[]> {
      const entries = async () => (await host.ledger()).filter((entry) => entry.card_id === card_id);
      while ((await entries()).length < count || (await host.tally.subscriptions())[0]?.waiting !== 0) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return await entries();
    }

    it('the card of an order is readable over the mounted interface', async () => {
      const { id, card_id } = await placed({ item: 'a chair', amount: 5_000 });
      assert.ok((await host.orders()).some((order) => order.id === id && order.card_id === card_id));
      const { status, json } = await readCards(`/cards/v1/virtualcards/${card_id}`);
      assert.deepEqual([status, json.data.total_card_amount, json.data.status], [200, 5_000, 'Approved']);
      assert.equal((await request(`${host.address}/cards/v1/virtualcards/${card_id}`)).status, 401, 'without a key');
    });

    it('a card made over HTTP, and links, are under the prefix', async () => {
      for (const amount of [1_000, 2_000]) {
        const made = await request(`${host.address}/cards/v1/virtualcards`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ data: { total_card_amount: amount } }),
        });
        assert.equal(made.status, 200, made.text);
      }
      const { links } = (await readCards('/cards/v1/virtualcards?page[limit]=1')).json;
      assert.ok(links.next.startsWith('/cards/v1/virtualcards?'), links.next);
      assert.equal((await readCards(links.next)).json.data.length, 1);
    });

    it('an order that fails leaves neither its row nor its card', async () => {
      const earlier = { orders: await host.orders(), cards: await cardCount() };
      const sold_out = await place({ item: 'sold out', amount: 5_000 });
      assert.deepEqual([sold_out.status, sold_out.json.error], [409, 'the item is sold out']);
      assert.deepEqual({ orders: await host.orders(), cards: await cardCount() }, earlier);
    });

    it('a refusal of Tallystick leaves neither its row nor its card', async () => {
      const earlier = { orders: await host.orders(), cards: await cardCount() };
      const refused = await place({ item: 'a table', amount: -1 });
      assert.equal(refused.status, 422);
      assert.match(refused.json.error, /total_card_amount/);
      assert.deepEqual({ orders: await host.orders(), cards: await cardCount() }, earlier);
    });

    it('orders at the same time succeed and fail alone', async () => {
      const earlier = { orders: (await host.orders()).length, cards: await cardCount() };
      const items = ['a', 'sold out', 'b', 'sold out', 'c', 'd'];
      const replies = await Promise.all(items.map((item) => place({ item, amount: 1_000 })));
      assert.deepEqual(
        replies.map(({ status }) => status),
        [201, 409, 201, 409, 201, 201],
      );
      assert.equal((await host.orders()).length, earlier.orders + 4);
      assert.equal(await cardCount(), earlier.cards + 4);
    });

    it('a purchase reaches the ledger of the host exactly once, also after a restart', async () => {
      const { card_id } = await placed({ item: 'a lamp', amount: 5_000 });
      const approved = await buy(card_id, 'before');
      assert.equal(approved.decline_reason, null);
      const first = await ledgerOf(card_id, 1);
      assert.deepEqual(
        first.map(({ event_type }) => event_type),
        ['virtualcard.realtime.auths'],
      );
      await host.close();
      host = await application.open({ database_url: scratch.database_url, keys });
      await buy(card_id, 'after');
      const both = await ledgerOf(card_id, 2);
      assert.equal(both.length, 2);
      assert.equal(new Set(both.map(({ event_id }) => event_id)).size, 2);
    });

    it('a signed request is verified with the prefix in its path', async () => {
      const signing_secret = 'the secret of a client that signs';
      const { operator } = host.tally;
      const signer = { role: 'client', name: 'signer', company_id: host.company_id, signing_secret } as const;
      const signing_key = (await operator.keys.create(signer)).key!;
      const send = (signed_path: string) => {
        const timestamp = String(Math.floor(Date.now() / 1000));
        const text = [timestamp, 'GET', signed_path, '', ''].join('\n');
        const signature = createHmac('sha256', signing_secret).update(text).digest('hex');
        const headers = {
          Authorization: `Bearer ${signing_key}`,
          'X-Timestamp': timestamp,
          'X-Signature': signature,
        };
        return request(`${host.address}/cards/v1/virtualcards`, { headers });
      };
      assert.equal((await send('/cards/v1/virtualcards')).status, 200);
      assert.equal((await send('/v1/virtualcards')).status, 401, 'the path without the prefix');
    });

    it('the routes and the handle of the host still work after close()', async () => {
      const earlier = await host.orders();
      await host.tally.close();
      assert.deepEqual(await host.orders(), earlier);
      const listed = await request(`${host.address}/orders`);
      assert.deepEqual([listed.status, listed.json], [200, earlier]);
      assert.equal((await place({ item: 'late', amount: 1_000 })).status, 500, 'the instance is closed');
      assert.deepEqual(await host.orders(), earlier, 'and the order was rolled back');
    });
  });
}

for (const application of [koa_host, express_host, fastify_host, hono_host]) {
  for (const database of application.databases) hostSuite(application, database);
}
