import type { Clock, HmacSha256, Random, Sealer } from '@tallystick/kernel';
import { envelopeBody } from './envelope.ts';
import { openWebhookSecret } from './manage-webhooks.ts';
import { signatureHeaders } from './signature.ts';
import { signingSecrets, type Webhook } from './webhook.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface TestWebhookParts {
  readonly sender: WebhookSender;
  readonly sealer: Sealer;
  readonly hmac: HmacSha256;
  readonly random: Random;
  readonly clock: Clock;
  readonly machine_clock: Clock;
}

/**
 * Posts `webhooks.test` to the webhook, active or not, whatever its event types; once, and without a record (service
 * specification 4.4). Returns the status that the callback URL answered; 0 and an error when none came.
 */
export async function testWebhook(
  parts: TestWebhookParts,
  webhook: Webhook,
): Promise<{ readonly status: number; readonly error?: string }> {
  const now_ms = parts.clock.now().epochMilliseconds;
  const { callback_url, event_type_ids, status } = webhook;
  const body = envelopeBody({
    created_at_ms: now_ms,
    event_id: 0,
    payload: { id: String(webhook.id), callback_url, event_type_ids, status },
    previous: null,
    type: 'webhooks.test',
  });
  const secrets = signingSecrets(webhook, now_ms, (sealed) => openWebhookSecret(parts.sealer, sealed));
  const timestamp = Math.floor(parts.machine_clock.now().epochMilliseconds / 1_000);
  const id = `test-${parts.random.bytes(12).toHex()}`;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Tallystick',
    'x-webhook-sequence': '0',
    ...signatureHeaders(parts.hmac, secrets, { id, timestamp, url: callback_url, body }),
  };
  const answer = await parts.sender.send({ callback_url, headers, body });
  if (answer.kind === 'answered') return { status: answer.status };
  return { status: 0, error: `${answer.error}: ${answer.detail}` };
}
