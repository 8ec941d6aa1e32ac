import { type Random, toHex } from '@tallystick/kernel';
import { envelopeBody, type RequestSigner, requestSigner } from './delivery-request.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface TestWebhookPorts extends RequestSigner {
  readonly sender: WebhookSender;
  readonly random: Random;
}

/** Tests of one company that may be in progress in one process. A caller waits for each. */
export const webhook_tests_per_company_max = 2;

/** Tests of all companies that may be in progress in one process. */
export const webhook_tests_max = 32;

export type WebhookTest =
  /** The status of the callback URL's answer, or 0 and an error when there was no answer. */
  | { readonly kind: 'tested'; readonly status: number; readonly error?: string }
  /** Nothing was sent: too many tests of the company, or of all companies, are in progress. */
  | { readonly kind: 'too_many'; readonly of: 'company' | 'all' };

/** Sends test deliveries, a bounded number at the same time. */
export type WebhookTester = (webhook: Webhook) => Promise<WebhookTest>;

export function createWebhookTester(ports: TestWebhookPorts): WebhookTester {
  const of_company = new Map<number, number>();
  let in_progress = 0;
  return async (webhook) => {
    const { company_id } = webhook;
    const of_this = of_company.get(company_id) ?? 0;
    if (of_this >= webhook_tests_per_company_max) return { kind: 'too_many', of: 'company' };
    if (in_progress >= webhook_tests_max) return { kind: 'too_many', of: 'all' };
    of_company.set(company_id, of_this + 1);
    in_progress += 1;
    try {
      return { kind: 'tested', ...(await testWebhook(ports, webhook)) };
    } finally {
      in_progress -= 1;
      const left = of_company.get(company_id)! - 1;
      if (left === 0) of_company.delete(company_id);
      else of_company.set(company_id, left);
    }
  };
}

/**
 * Posts `webhooks.test` to the webhook, active or not, with any event types; once, and without a
 * record (service specification 4.4). Returns the status of the callback URL's answer, or 0 and an
 * error when there was no answer.
 */
async function testWebhook(
  ports: TestWebhookPorts,
  webhook: Webhook,
): Promise<{ readonly status: number; readonly error?: string }> {
  const { callback_url, event_type_ids, status } = webhook;
  const body = envelopeBody({
    created_at_ms: ports.clock.nowMs(),
    event_id: 0,
    payload: { id: String(webhook.id), callback_url, event_type_ids, status },
    previous: null,
    type: 'webhooks.test',
  });
  const id = `test-${toHex(ports.random.bytes(12))}`;
  const answer = await ports.sender.send(requestSigner(ports)(webhook, { id, sequence: 0, body }));
  if (answer.kind === 'answered') return { status: answer.status };
  return { status: 0, error: `${answer.error}: ${answer.detail}` };
}
