import {
  equalBytes,
  type Random,
  type RequestFields,
  reseal,
  resealAll,
  type Sealer,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { SigningSecrets } from '@tallystick/webhook-signature';
import type { WebhookStore } from './ports.ts';
import { drawWebhookSecret } from './secret-form.ts';
import type { Webhook } from './webhook.ts';

/** The purpose to which a sealed webhook secret is bound. */
const purpose = 'webhook secret';

/** How long the previous secret still signs after a rotation. */
const previous_secret_time_ms = 24 * 60 * 60 * 1_000;

/** The sealed secrets of a webhook, or of what else is called with the signatures of webhooks. */
export type HeldSecrets = Pick<Webhook, 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_until_ms'>;

/** Sealed secrets, and in plain text the one that is shown once. */
interface NewSecret {
  readonly secrets: HeldSecrets;
  readonly secret: string;
}

interface SecretPorts {
  readonly sealer: Sealer;
  readonly random: Random;
}

export function sealWebhookSecret(sealer: Sealer, secret: string): Uint8Array {
  return sealer.seal(purpose, new TextEncoder().encode(secret));
}

/** The secret that a client chose, or a new one. */
export function firstSecret({ sealer, random }: SecretPorts, chosen: string | null): NewSecret {
  const secret = chosen ?? drawWebhookSecret(random);
  const secret_sealed = sealWebhookSecret(sealer, secret);
  return { secrets: { secret_sealed, previous_secret_sealed: null, previous_secret_until_ms: null }, secret };
}

/** A new secret. The present one also signs for 24 hours. */
export function rotatedSecret(ports: SecretPorts, present: HeldSecrets, now_ms: number): NewSecret {
  const { secret, secrets } = firstSecret(ports, null);
  const previous_secret_until_ms = now_ms + previous_secret_time_ms;
  return { secret, secrets: { ...secrets, previous_secret_sealed: present.secret_sealed, previous_secret_until_ms } };
}

/** Adds a problem when a change sends another secret than the present one. Null is what answers show. */
export function addSecretProblem(fields: RequestFields, sealer: Sealer, { secret_sealed }: HeldSecrets): void {
  if (!fields.has('secret')) return;
  const sent = fields.get('secret');
  const encoder = new TextEncoder();
  const present = openSecrets([secret_sealed], sealer).current;
  if (typeof sent === 'string' && equalBytes(encoder.encode(sent), encoder.encode(present))) return;
  fields.addProblem('secret', 'cannot be changed; rotate it');
}

/** The sealed secrets that sign: the present one, and the previous one while it still signs. */
export type SealedSecrets = readonly [current: Uint8Array] | readonly [current: Uint8Array, previous: Uint8Array];

export function sealedSecrets(held: HeldSecrets, now_ms: number): SealedSecrets {
  const { secret_sealed, previous_secret_sealed: previous, previous_secret_until_ms: until_ms } = held;
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

/** Seals again with the newest key what an older one sealed. Returns the number of these secrets. */
export function resealHeld<Holder extends HeldSecrets>(
  sealer: Sealer,
  held: Holder,
): { readonly count: number; readonly resealed: Holder } {
  const { secret_sealed, previous_secret_sealed: previous } = held;
  const current_resealed = reseal(sealer, purpose, secret_sealed);
  const previous_resealed = previous === null ? null : reseal(sealer, purpose, previous);
  return {
    count: Number(current_resealed !== null) + Number(previous_resealed !== null),
    resealed: {
      ...held,
      secret_sealed: current_resealed ?? secret_sealed,
      previous_secret_sealed: previous_resealed ?? previous,
    },
  };
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
      const { count, resealed } = resealHeld(sealer, webhook);
      if (count > 0) await webhooks.update(resealed);
      return count;
    },
  });
}
