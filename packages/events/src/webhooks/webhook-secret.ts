import { reseal, resealAll, type Sealer, type UnitOfWork } from '@tallystick/kernel';
import type { SigningSecrets } from '@tallystick/webhook-signature';
import type { WebhookStore } from './ports.ts';
import type { Webhook } from './webhook.ts';

/** The purpose to which a sealed webhook secret is bound. */
const purpose = 'webhook secret';

export function sealWebhookSecret(sealer: Sealer, secret: string): Uint8Array {
  return sealer.seal(purpose, new TextEncoder().encode(secret));
}

/** The sealed secrets that sign: that of the webhook, and the previous one while it still signs. */
export type SealedSecrets = readonly [current: Uint8Array] | readonly [current: Uint8Array, previous: Uint8Array];

export function sealedSecrets(webhook: Webhook, now_ms: number): SealedSecrets {
  const { secret_sealed, previous_secret_sealed: previous, previous_secret_until_ms: until_ms } = webhook;
  const previous_signs = previous !== null && until_ms !== null && now_ms < until_ms;
  return previous_signs ? [secret_sealed, previous] : [secret_sealed];
}

/**
 * Returns the secrets in plain text. Throws a `Fault` when a key that sealed one of them has left the
 * ring.
 */
export function openSecrets([current, previous]: SealedSecrets, sealer: Sealer): SigningSecrets {
  const open = (sealed: Uint8Array) => new TextDecoder().decode(sealer.open(purpose, sealed));
  return { current: open(current), previous: previous === undefined ? null : open(previous) };
}

/**
 * Seals again with the newest key of the ring every webhook secret that an older key sealed,
 * including the previous secrets of a rotation, in transactions of at most `batch` webhooks.
 * Returns the number of secrets.
 */
export function resealWebhookSecrets(
  unitOfWork: UnitOfWork<{ readonly webhooks: WebhookStore }>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  return resealAll(unitOfWork, {
    first: { id: 0 },
    next: ({ webhooks }, { id }) => webhooks.listAfter(id, batch),
    async reseal({ webhooks }, webhook) {
      const { secret_sealed, previous_secret_sealed: previous } = webhook;
      const current_resealed = reseal(sealer, purpose, secret_sealed);
      const previous_resealed = previous === null ? null : reseal(sealer, purpose, previous);
      const count = Number(current_resealed !== null) + Number(previous_resealed !== null);
      if (count === 0) return 0;
      await webhooks.update({
        ...webhook,
        secret_sealed: current_resealed ?? secret_sealed,
        previous_secret_sealed: previous_resealed ?? previous,
      });
      return count;
    },
  });
}
