import type { Random } from '@tallystick/kernel';
import { envelopeBody } from './envelope.ts';
import { type RequestSigner, signedRequest } from './signed-request.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface TestWebhookPorts extends RequestSigner {
  readonly sender: WebhookSender;
  readonly random: Random;
}

/**
 * Posts `webhooks.test` to the webhook, active or not, with any event types; once, and without a
 * record (service specification 4.4). Returns the status of the callback URL's answer, or 0 and an
 * error when there was no answer.
 */
export async function testWebhook(
  ports: TestWebhookPorts,
  webhook: Webhook,
): Promise<{ readonly status: number; readonly error?: string }> {
  const { callback_url, event_type_ids, status } = webhook;
  const body = envelopeBody({
    created_at_ms: ports.clock.now().epochMilliseconds,
    event_id: 0,
    payload: { id: String(webhook.id), callback_url, event_type_ids, status },
    previous: null,
    type: 'webhooks.test',
  });
  const id = `test-${ports.random.bytes(12).toHex()}`;
  const answer = await ports.sender.send(signedRequest(ports, webhook, { id, sequence: 0, body }));
  if (answer.kind === 'answered') return { status: answer.status };
  return { status: 0, error: `${answer.error}: ${answer.detail}` };
}
