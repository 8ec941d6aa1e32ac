/**
 * Markdown for receivers of webhooks: the request, its signature, the retries, the event types.
 */
import { createHmac } from 'node:crypto';
import { attempt_offsets_ms, deliveries_kept_days_default, event_types } from '@tallystick/events';
import { deliverySigner, type SynchronousHmac } from '@tallystick/webhook-signature';
import type { DocumentedDelivery } from './deliveries.ts';
import { code, table } from './reference.ts';

/** The delivery that is shown; its signature is real. */
const sample_delivery = {
  secret: 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C',
  callback_url: 'https://hooks.example.com/tallystick',
  timestamp: 1_795_252_200,
  body: '{"data":{"date":"2026-11-21T09:10:00.000Z","event-id":14,"payload":{"vcn_id":1,"billing_amount":11850},"previous":null,"type":"virtualcard.clearings"}}',
} as const;

const verification = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** body: the text as received, before any parsing; url: the callback URL exactly as registered. */
export function isFromTallystick(headers, body, url, secret) {
  const timestamp = headers['x-timestamp'] ?? '';
  // Older than five minutes: possibly a replay.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const text = \`\${timestamp}\\nPOST\\n\${url}\\n\${body}\`;
  const expected = createHmac('sha256', secret).update(text).digest();
  return [headers['x-signature'], headers['x-signature-previous']].some((value) => {
    const signature = Buffer.from(value ?? '', 'hex');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}`;

/** What a receiver must know about the deliveries. */
export function webhookReference(deliveries: Readonly<Record<string, DocumentedDelivery>>): string {
  const [delivery] = Object.values(deliveries);
  const headers = (delivery?.post.parameters ?? []).map(({ name, description }) => [code(name), description]);
  return `The service posts every event of the types of a webhook to its callback URL, over HTTPS. An event is delivered at
least once: a second copy has the same \`event-id\`. Deliveries can overtake each other; order them by
\`X-Webhook-Sequence\`. The guide \`docs/webhooks.md\` has more: rotation of secrets, gaps, pauses, and a receiver for your
own machine.

### Request format

\`\`\`http
${sampleRequest()}
\`\`\`

${table(['Header', 'Meaning'], headers)}

### Verify a signature

Sign the text of the body, not what a parser made of it. Answer 401 to a request that does not verify. In JavaScript, with
Node alone:

\`\`\`js
${verification}
\`\`\`

The request above is signed with the secret ${code(sample_delivery.secret)} for the callback URL
${code(sample_delivery.callback_url)}.

### Responses and retries

Any 2xx status within 15 seconds is success. Any other answer, or none, is tried again. A redirect is not followed. 410 ends
the delivery at once. After the last attempt the delivery is \`failed\`; it can be sent again for
${deliveries_kept_days_default} days, unless the operator of the service has chosen another time.

${table(['Attempt', 'Time after the first attempt'], attempts())}

### Event types

The ids are those of \`event_type_ids\`. The types without an id are delivered to a webhook with \`1\`, which is all types. A
test is delivered to any webhook. The payload of each type is among the webhooks of this document.

${table(['Type', 'Id', 'When'], eventTypes(deliveries))}`;
}

const hmac: SynchronousHmac = (secret, message) => createHmac('sha256', secret).update(message).digest();

function sampleRequest(): string {
  const { secret, callback_url, timestamp, body } = sample_delivery;
  const delivery = { id: '1', timestamp, url: callback_url, body };
  const signed = deliverySigner(hmac, { current: secret, previous: null })(delivery)['x-signature'];
  const { pathname, host } = new URL(callback_url);
  return `POST ${pathname} HTTP/1.1
Host: ${host}
Content-Type: application/json
X-Timestamp: ${timestamp}
X-Signature: ${signed}
X-Webhook-Sequence: 1

${body}`;
}

function attempts(): readonly (readonly string[])[] {
  return attempt_offsets_ms.map((offset_ms, index) => [
    String(index + 1),
    offset_ms === 0 ? 'at once' : `${offset_ms / 60_000} minutes`,
  ]);
}

function eventTypes(deliveries: Readonly<Record<string, DocumentedDelivery>>): readonly (readonly string[])[] {
  return Object.entries(deliveries).map(([name, { post }]) => {
    const id = event_types.find((type) => type.name === name)?.id;
    return [code(name), id === undefined ? '' : code(String(id)), post.summary];
  });
}
