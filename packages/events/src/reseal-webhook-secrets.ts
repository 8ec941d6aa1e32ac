import type { Sealer, UnitOfWork } from '@tallystick/kernel';
import { type Webhook, webhook_secret_purpose } from './webhook.ts';
import type { WebhookStore } from './webhook-ports.ts';

/**
 * Seals anew, with the newest key of the ring, every webhook secret that an older one sealed, those before a rotation of
 * the secret too; in transactions of at most `batch` webhooks. Returns how many secrets. Part of a key rotation: without
 * it an older key could never be dropped, and deliveries could no longer be signed.
 */
export async function resealWebhookSecrets(
  unitOfWork: UnitOfWork<{ readonly webhooks: WebhookStore }>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  let count = 0;
  for (let after_id: number | null = 0; after_id !== null; ) {
    const from_id: number = after_id;
    const done: { readonly resealed: number; readonly last_id: number | null } = await unitOfWork.run(
      async ({ webhooks }) => {
        const page = await webhooks.listAfter(from_id, batch);
        let resealed = 0;
        for (const webhook of page) {
          const stale = staleSecrets(webhook, sealer);
          if (stale.length === 0) continue;
          const anew = stale.map(([name, sealed]) => [name, reseal(sealer, sealed)] as const);
          await webhooks.update({ ...webhook, ...Object.fromEntries(anew) });
          resealed += stale.length;
        }
        return { resealed, last_id: page.at(-1)?.id ?? null };
      },
    );
    count += done.resealed;
    after_id = done.last_id;
  }
  return count;
}

/** The webhook's secrets that another key than the newest sealed, by their fields. */
function staleSecrets(webhook: Webhook, sealer: Sealer): readonly (readonly [string, Uint8Array])[] {
  const { secret_sealed, previous_secret_sealed } = webhook;
  return Object.entries({ secret_sealed, previous_secret_sealed }).filter(
    (field): field is [string, Uint8Array] => field[1] !== null && !sealer.isCurrent(field[1]),
  );
}

function reseal(sealer: Sealer, sealed: Uint8Array): Uint8Array {
  return sealer.seal(webhook_secret_purpose, sealer.open(webhook_secret_purpose, sealed));
}
