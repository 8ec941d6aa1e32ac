import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type Sealer } from '@tallystick/kernel';
import { resealWebhookSecrets, sealWebhookSecret, type Webhook, type WebhookStore } from '../src/index.ts';

/** Seals by writing the key's name before what it seals: enough to see which key sealed what, and for which purpose. */
function plainSealer(key_id: string): Sealer {
  const prefix = (sealed: Uint8Array): string => Buffer.from(sealed).toString().split('|', 1)[0]!;
  return {
    seal: (purpose, clear) => Buffer.from(`${key_id}|${purpose}|${Buffer.from(clear)}`),
    open(purpose, sealed) {
      const [, sealed_for, clear] = Buffer.from(sealed).toString().split('|');
      if (sealed_for !== purpose) throw new Fault('sealed for another purpose', { retryable: false });
      return Buffer.from(clear!);
    },
    isCurrent: (sealed) => prefix(sealed) === key_id,
  };
}

const seal = (key_id: string, secret: string): Uint8Array => sealWebhookSecret(plainSealer(key_id), secret);

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

/** Webhooks in memory, with what was written told. */
function storeOf(rows: Map<number, Webhook>) {
  const written: number[] = [];
  const run = async <Result>(change: (tx: { readonly webhooks: WebhookStore }) => Promise<Result>): Promise<Result> =>
    change({
      webhooks: {
        listAfter: async (after_id: number, limit: number) =>
          [...rows.values()].filter(({ id }) => id > after_id).slice(0, limit),
        update: async (one: Webhook) => {
          written.push(one.id);
          rows.set(one.id, one);
        },
      } as unknown as WebhookStore,
    });
  return { written, unitOfWork: { run, read: run } };
}

test('a rotation seals every webhook secret of an older key anew, the one before too, and nothing twice', async () => {
  const rows = new Map(
    [
      webhook(1, seal('k1', 'one')),
      webhook(2, seal('k2', 'two'), seal('k1', 'before two')),
      webhook(3, seal('k2', 'three')),
      webhook(4, seal('k1', 'four'), seal('k1', 'before four')),
      webhook(5, seal('k1', 'five')),
    ].map((one) => [one.id, one]),
  );
  const before = structuredClone([...rows.values()]);
  const { written, unitOfWork } = storeOf(rows);
  assert.equal(await resealWebhookSecrets(unitOfWork, plainSealer('k2'), 2), 5);
  assert.deepEqual(written, [1, 2, 4, 5]);
  const told = [...rows.values()].map(({ secret_sealed, previous_secret_sealed }) => [
    Buffer.from(secret_sealed).toString(),
    previous_secret_sealed && Buffer.from(previous_secret_sealed).toString(),
  ]);
  const sealed = (secret: string): string => Buffer.from(seal('k2', secret)).toString();
  assert.deepEqual(told, [
    [sealed('one'), null],
    [sealed('two'), sealed('before two')],
    [sealed('three'), null],
    [sealed('four'), sealed('before four')],
    [sealed('five'), null],
  ]);
  const removeSecrets = (one: Webhook) => ({ ...one, secret_sealed: null, previous_secret_sealed: null });
  assert.deepEqual([...rows.values()].map(removeSecrets), before.map(removeSecrets));
  assert.equal(await resealWebhookSecrets(unitOfWork, plainSealer('k2'), 2), 0);
});
