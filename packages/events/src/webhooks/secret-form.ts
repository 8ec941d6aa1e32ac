import {
  isSharedSecret,
  type Random,
  shared_secret_length_max,
  shared_secret_length_min,
  toBase64,
} from '@tallystick/kernel';
import { decodeStandardSecret } from '@tallystick/webhook-signature';

/** The beginning of a secret in the form of the Standard Webhooks specification. */
const standard_prefix = 'whsec_';

const drawn_bytes = 32;

/** The fewest bytes that the base64 of a client's own `whsec_` secret stands for. */
export const standard_secret_bytes_min = 16;

/** The wording of what `isWebhookSecret` allows. */
export const webhook_secret_expected =
  `text of ${shared_secret_length_min} to ${shared_secret_length_max} characters; ` +
  `after ${standard_prefix}, the padded base64 of at least ${standard_secret_bytes_min} bytes`;

/** Generates a webhook's secret: `whsec_` and the base64 of 32 random bytes. */
export function drawWebhookSecret(random: Random): string {
  return standard_prefix + toBase64(random.bytes(drawn_bytes));
}

/**
 * Whether a client may choose this secret for a webhook. A text that begins with `whsec_` and is
 * not its base64 is refused, because no library of Standard Webhooks could verify with it.
 */
export function isWebhookSecret(secret: unknown): secret is string {
  if (!isSharedSecret(secret)) return false;
  if (!secret.startsWith(standard_prefix)) return true;
  return (decodeStandardSecret(secret)?.length ?? 0) >= standard_secret_bytes_min;
}
