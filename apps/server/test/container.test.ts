import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { normalizeAuthorization } from '@tallystick/cards';
import { recordForeignEvent, sealWebhookSecret, type Webhook } from '@tallystick/events';
import type { Sealer } from '@tallystick/kernel';
import { scratchDatabase, send, serverEnvironment } from '@tallystick/test-support';
import { readConfig } from '../src/configuration/config.ts';
import { closeContainer, createContainer, tokens } from '../src/container.ts';

it('closes the parts of deliveries before the database in which they are recorded', async () => {
  const scratch = await scratchDatabase('sqlite');
  try {
    const container = createContainer(readConfig(serverEnvironment({ database_url: scratch.database_url })));
    const { webhooks } = await container.getAsync(tokens.deliveries);
    const webhook = webhookSealedBy(await container.getAsync(tokens.vault));
    await closeContainer(container);
    const error = 'connection_failed: UND_ERR_DESTROYED';
    assert.deepEqual(await webhooks.test(webhook), { kind: 'tested', status: 0, error });
  } finally {
    await scratch.dispose();
  }
});

it('announces a deprecation in the answers about virtual cards when its date is set', async () => {
  const scratch = await scratchDatabase('sqlite');
  const environment = { ...serverEnvironment({ database_url: scratch.database_url }), V1_DEPRECATED_ON: '2031-01-01' };
  const container = createContainer(readConfig(environment));
  const http = createServer((await container.getAsync(tokens.http_app)).callback());
  try {
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const answer = await fetch(`${url}/v1/virtualcards`);
    assert.deepEqual([answer.status, answer.headers.get('deprecation')], [401, '@1924992000']);
  } finally {
    http.close();
    http.closeAllConnections();
    await closeContainer(container);
    await scratch.dispose();
  }
});

it('relays events after the commit of a request or of a pass, without any job', async () => {
  const scratch = await scratchDatabase('sqlite');
  const container = createContainer(readConfig(serverEnvironment({ database_url: scratch.database_url })));
  const http = createServer((await container.getAsync(tokens.http_app)).callback());
  try {
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const { unitOfWork, delivery_desk } = await container.getAsync(tokens.persistence);
    const { card_vault } = await container.getAsync(tokens.vault);
    const network = await container.getAsync(tokens.network);
    const now_ms = Date.now();
    const unrelayed = async () => (await delivery_desk.workload(now_ms, now_ms)).unrelayed;
    const relayed = async () => {
      for (const end_ms = performance.now() + 20_000; performance.now() < end_ms; await turn())
        if ((await unrelayed()) === 0) return true;
      return false;
    };

    const body = { data: { total_card_amount: 250_000 } };
    const issued = await send(url, 'POST', '/v1/virtualcards', { body });
    assert.equal(issued.status, 200, issued.text);
    assert.ok(await relayed(), 'the event of the request');

    // Written without the hook, so that only the next pass can begin a round.
    await unitOfWork.run(async (tx) => {
      const [company] = (await tx.companies.list({ limit: 1 })).items;
      const call = { company_id: company!.id, actor: 'test', request_id: null, now_ms };
      await recordForeignEvent(tx, call, { event_type: 'ach.status', payload: { id: 1 } });
    });
    assert.equal(await unrelayed(), 1);
    const message = {
      card_number: '4111111111111111',
      message_type_indicator: '0100' as const,
      trace_id: 'T-1',
      system_trace_audit_number: '1',
      transaction_date_time: '2026-01-01T00:00:00Z',
      billing_amount: 1,
      billing_currency: 'USD',
      merchant_amount: 1,
      merchant_currency: 'USD',
      mcc: '5812',
    };
    await network.authorize(normalizeAuthorization(message, card_vault, null));
    assert.ok(await relayed(), 'the event that waited when the pass committed');
  } finally {
    http.close();
    http.closeAllConnections();
    await closeContainer(container);
    await scratch.dispose();
  }
});

/** Lets everything that is ready go on. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function webhookSealedBy({ sealer }: { readonly sealer: Sealer }): Webhook {
  return {
    id: 1,
    company_id: 1,
    callback_url: 'https://127.0.0.1:9/never-called',
    event_type_ids: [1],
    status: 'active',
    secret_sealed: sealWebhookSecret(sealer, 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C'),
    previous_secret_sealed: null,
    previous_secret_until_ms: null,
    created_at_ms: 0,
  };
}
