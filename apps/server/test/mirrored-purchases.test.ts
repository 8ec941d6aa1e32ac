import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { sandbox_keys } from '@tallystick/access';
import { machine_timers, page_limit_max } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import {
  type DatabaseName,
  database_names,
  migratedDatabase,
  startServer,
  testAuditMac,
} from '@tallystick/test-support';
import { createSandboxClient, type Json } from '../src/devtools/sandbox-client.ts';

/** A sandbox server, and its database as another process sees it. */
async function open(t: TestContext, name: DatabaseName) {
  const scratch = await migratedDatabase(name);
  t.after(() => scratch.dispose());
  const { database_url } = scratch;
  const start = async () => {
    const server = await startServer({ database_url });
    t.after(() => server.kill());
    return { server, client: createSandboxClient(server.url) };
  };
  const first = await start();
  const persistence = await mikroOrmPersistence({ database_url, clock: machine_timers, audit_mac: testAuditMac });
  t.after(() => persistence.close());
  return {
    ...first,
    start,
    persistence,
    /** The card account: its transactions, the newest first, and its booked balance. */
    account: () =>
      persistence.unitOfWork.read(async ({ accounts, bank }) => {
        const account = (await accounts.findByNumber('ceid2000000001'))!;
        const { items } = await bank.transactionsOf(account.id, {}, { limit: 100 });
        const lines = await accounts.listLines(account.id, {}, { limit: 100 });
        const [balance] = await bank.balancesOf([account.id]);
        return { items, lines: lines.items.length, booked: Number(balance!.booked) };
      }),
  };
}

/** Moves the clock by a second, so that due work is done before the answer. */
async function doDueWork(client: ReturnType<typeof createSandboxClient>): Promise<void> {
  await client.post('operator', '/sandbox/v1/clock', { data: { advance: 'PT1S' } });
}

for (const name of database_names) {
  it(`a cleared purchase is a booked transaction of the oldest card account once, also after a crash, on ${name}`, async (t) => {
    const { server, client, start, account, persistence } = await open(t, name);
    // More accounts than a page of them has, all newer than the one that has the purchases.
    await persistence.unitOfWork.run(async ({ accounts }) => {
      const { id: _, ...oldest } = (await accounts.findByNumber('ceid2000000001'))!;
      for (let at = 0; at <= page_limit_max; at += 1) await accounts.insert({ ...oldest, number: `card${at}` });
    });
    const card = (await client.post('client', '/v1/virtualcards', { data: { total_card_amount: 100_000 } }))
      .data as Json;
    const bought = (
      await client.post('client', '/sandbox/v1/purchases', {
        data: { vcn_id: Number(card.id), amount: 6_000, merchant_name: 'Café Ω', mcc: '5812' },
      })
    ).data as Json;
    const path = `/sandbox/v1/authorizations/${bought.id}`;
    const cleared = (await client.post('client', `${path}/clear`, { data: { amount: 2_500 } })).data as Json;
    await client.post('client', `${path}/clear`, { data: {} });
    await doDueWork(client);
    await client.post('client', `${path}/refund`, { data: { amount: 1_000 } });
    await server.kill();
    const again = await start();
    await doDueWork(again.client);
    await doDueWork(again.client);

    const { items, lines, booked } = await account();
    const shown = items.toReversed();
    assert.deepEqual(
      shown.map(({ amount, balance_after, bai_code, merchant_name, merchant_category_code }) => [
        Number(amount),
        Number(balance_after),
        bai_code,
        merchant_name,
        merchant_category_code,
      ]),
      [
        [-2_500, -2_500, '821', 'Café Ω', '5812'],
        [-3_500, -6_000, '821', 'Café Ω', '5812'],
        [1_000, -5_000, '824', 'Café Ω', '5812'],
      ],
    );
    assert.equal(shown[0]!.acquirer_reference, cleared.acquirer_reference_data);
    assert.match(shown[0]!.acquirer_reference ?? '', /^\d{23}$|^\d{17}$/);
    assert.deepEqual([lines, booked], [0, -5_000], 'no statement line, and the balance has moved');

    const items_of_company = await fetch(`${again.server.url}/v1/reconciliation/items?filter[kind]=unexplained_line`, {
      headers: { authorization: `Bearer ${sandbox_keys.client}` },
    });
    assert.deepEqual(((await items_of_company.json()) as Json).data, [], 'no side of an item');
  });
}
