import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock, type UnitOfWork } from '@tallystick/kernel';
import { memoryPersistence, memoryVault } from '@tallystick/memory';
import { resealWebhookSecrets, sealWebhookSecret, type Webhook, type WebhookStore } from '../src/index.ts';

const { sealer: older } = memoryVault(['k1']);
const { sealer: newer } = memoryVault(['k2', 'k1']);

function webhook(id: number, secret_sealed: Uint8Array, previous_secret_sealed: Uint8Array | null = null): Webhook {
  return {
    id,
    company_id: 1 + (id % 2),
    callback_url: `https://example.com/${id}`,
    event_type_ids: [id],
    status: 'active',
    secret_sealed,
    previous_secret_sealed,
    previous_secret_until_ms: previous_secret_sealed === null ? null : 1_000,
    created_at_ms: 0,
  };
}

/** Storage in memory with these webhooks, and the ids of those that were written. */
function storageOf(rows: readonly Webhook[]) {
  const { committed, unitOfWork } = memoryPersistence({ clock: fixedClock('2026-01-15T12:00:00Z') });
  for (const row of rows) committed().webhooks.set(row.id, row);
  const written: number[] = [];
  const watched = ({ webhooks }: { readonly webhooks: WebhookStore }) => ({
    webhooks: {
      ...webhooks,
      update: (changed: Webhook) => {
        written.push(changed.id);
        return webhooks.update(changed);
      },
    },
  });
  const watchedUnitOfWork: UnitOfWork<{ readonly webhooks: WebhookStore }> = {
    run: (work) => unitOfWork.run((tx) => work(watched(tx))),
    read: (work) => unitOfWork.read((tx) => work(watched(tx))),
  };
  return { stored: () => committed().webhooks.values(), unitOfWork: watchedUnitOfWork, written };
}

test('a rotation reseals every webhook secret of an older key, including previous ones, and nothing twice', async () => {
  const before = [
    webhook(1, sealWebhookSecret(older, 'one')),
    webhook(2, sealWebhookSecret(newer, 'two'), sealWebhookSecret(older, 'before two')),
    webhook(3, sealWebhookSecret(newer, 'three')),
    webhook(4, sealWebhookSecret(older, 'four'), sealWebhookSecret(older, 'before four')),
    webhook(5, sealWebhookSecret(older, 'five')),
  ];
  const { stored, unitOfWork, written } = storageOf(before);
  assert.equal(await resealWebhookSecrets(unitOfWork, newer, 2), 5);
  assert.deepEqual(written, [1, 2, 4, 5]);
  const opened = (sealed: Uint8Array | null) => {
    if (sealed === null) return null;
    assert.ok(newer.isCurrent(sealed));
    return Buffer.from(newer.open('webhook secret', sealed)).toString();
  };
  const secrets = stored().map((one) => [opened(one.secret_sealed), opened(one.previous_secret_sealed)]);
  assert.deepEqual(secrets, [
    ['one', null],
    ['two', 'before two'],
    ['three', null],
    ['four', 'before four'],
    ['five', null],
  ]);
  const removeSecrets = (one: Webhook) => ({ ...one, secret_sealed: null, previous_secret_sealed: null });
  assert.deepEqual(stored().map(removeSecrets), before.map(removeSecrets));
  assert.equal(await resealWebhookSecrets(unitOfWork, newer, 2), 0);
});
