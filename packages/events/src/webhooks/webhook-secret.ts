import { reseal, resealAll, type Sealer, type UnitOfWork } from '@tallystick/kernel';
import type { SigningSecrets } from '@tallystick/webhook-signature';
import type { WebhookStore } from './ports.ts';
import type { Webhook } from './webhook.ts';

/** The purpose to which a sealed webhook secret is bound. */
const purpose = 'webhook secret';

export function sealWebhookSecret(sealer: Sealer, secret: string): Uint8Array {
  return sealer.seal(purpose, new TextEncoder().encode(secret));
}

/**
 * Opened secrets, by the sealed bytes as they were read. The deliveries of one claim share them. A
 * secret is forgotten with the object that was read.
 */
const opened = new WeakMap<Uint8Array, string>();

function openWebhookSecret(sealer: Sealer, sealed: Uint8Array): string {
  let secret = opened.get(sealed);
  if (secret === undefined) {
    secret = new TextDecoder().decode(sealer.open(purpose, sealed));
    opened.set(sealed, secret);
  }
  return secret;
}

/**
 * Returns the secrets, in plain text, that sign at `now_ms`. Throws a `Fault` when a key that
 * sealed one of them has left the ring.
 */
export function signingSecrets(webhook: Webhook, now_ms: number, sealer: Sealer): SigningSecrets {
  const open = (sealed: Uint8Array) => openWebhookSecret(sealer, sealed);
  const { secret_sealed, previous_secret_sealed: previous, previous_secret_until_ms: until_ms } = webhook;
  const previous_signs = previous !== null && until_ms !== null && now_ms < until_ms;
  return { current: open(secret_sealed), previous: previous_signs ? open(previous) : null };
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
