import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sealWebhookSecret, type Webhook } from '@tallystick/events';
import type { Sealer } from '@tallystick/kernel';
import { scratchDatabase, serverEnvironment } from '@tallystick/test-support';
import { readConfig } from '../src/configuration/config.ts';
import { closeContainer, createContainer } from '../src/container.ts';
import { tokens } from '../src/tokens.ts';

it('closes the parts of deliveries before the database in which they are recorded', async () => {
  const scratch = await scratchDatabase('sqlite');
  try {
    const container = createContainer(readConfig(serverEnvironment({ database_url: scratch.database_url })));
    const { webhooks } = await container.getAsync(tokens.deliveries);
    const webhook = webhookSealedBy(await container.getAsync(tokens.vault));
    await closeContainer(container);
    const { error } = await webhooks.test(webhook);
    assert.equal(error, 'connection_failed: UND_ERR_DESTROYED');
  } finally {
    await scratch.dispose();
  }
});

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
