import { toStoredName } from '@tallystick/events';
import { delivered_names, event_kinds, shown_instant, webhook_state } from '@tallystick/operations';
import * as z from 'zod';
import type { Operation, Parameter } from './schemas.ts';
import { inlineSchemaOf, type Json, jsonContentOf, schemaOf } from './schemas.ts';

/** A request that the service sends to a callback URL. */
export interface DocumentedDelivery {
  readonly post: Operation;
}

/** The deliveries of every event type and the test delivery (service specification 2.7 and 6). */
export function describeDeliveries(): Readonly<Record<string, DocumentedDelivery>> {
  const deliveries = delivered_names.map((name) => {
    const stored_name = toStoredName(name) ?? name;
    const kind = event_kinds.find(({ types }) => Object.hasOwn(types, stored_name));
    if (kind === undefined)
      throw new TypeError(`the event type ${name} is missing from event_kinds in events/shapes.ts`);
    return [name, deliveryOf(name, kind.types[stored_name] ?? name, schemaOf(kind.state))] as const;
  });
  const test = deliveryOf('webhooks.test', 'A test delivery is requested', schemaOf(webhook_state));
  return Object.fromEntries([...deliveries, ['webhooks.test', test]]);
}

/** The schemas that the deliveries name. */
export const delivery_schemas: readonly z.ZodType[] = [...event_kinds.map(({ state }) => state), webhook_state];

function deliveryOf(name: string, summary: string, state: Json): DocumentedDelivery {
  const is_test = name === 'webhooks.test';
  return {
    post: {
      summary,
      description: is_test
        ? 'Sent once, whatever the status and the event types of the webhook are.'
        : `Sent to the webhook that has the type \`${name}\`, or all types. A repeated attempt has the same body and the same \`webhook-id\`.`,
      tags: ['Webhooks'],
      operationId: `deliver.${name}`,
      parameters,
      requestBody: { required: true, content: jsonContentOf(envelopeOf(name, is_test ? 0 : 1, state)) },
      responses: {
        '2XX': { description: 'The delivery has succeeded' },
        410: { description: 'The delivery has failed and is not repeated' },
        default: {
          description:
            'The delivery is repeated, up to five attempts in total. The same applies when there is no answer',
        },
      },
      security: [],
    },
  };
}

/** The body of a delivery. */
function envelopeOf(name: string, event_id_min: 0 | 1, state: Json): Json {
  const data = {
    date: inlineSchemaOf(shown_instant.describe('When the event was recorded')),
    'event-id': inlineSchemaOf(
      z
        .int()
        .min(event_id_min)
        .max(event_id_min === 0 ? 0 : Number.MAX_SAFE_INTEGER)
        .describe('The same in every delivery of one event'),
    ),
    payload: state,
    previous: event_id_min === 0 ? { type: 'null' } : { anyOf: [state, { type: 'null' }] },
    type: { type: 'string', const: name },
  };
  const wrapped = { type: 'object', properties: data, required: Object.keys(data) };
  return { type: 'object', properties: { data: wrapped }, required: ['data'] };
}

const seconds = { type: 'integer', minimum: 0 };
const hex_signature = { type: 'string', pattern: '^[0-9a-f]{64}$' };

const parameters: readonly Parameter[] = [
  headerOf('X-Timestamp', 'When this attempt was signed, seconds since the Unix epoch', seconds),
  headerOf(
    'X-Signature',
    'Lower-case hex HMAC-SHA-256 with the secret over timestamp, POST, callback URL and body, joined by line feeds',
    hex_signature,
  ),
  {
    ...headerOf(
      'X-Signature-Previous',
      'The same with the previous secret, for 24 hours after a rotation',
      hex_signature,
    ),
    required: false,
  },
  headerOf('X-Webhook-Sequence', '1, 2, 3 ... for each webhook, the same at every attempt; 0 for tests', {
    type: 'integer',
    minimum: 0,
  }),
  headerOf('webhook-id', 'The delivery, the same at every attempt', { type: 'string' }),
  headerOf('webhook-timestamp', 'As X-Timestamp (Standard Webhooks)', seconds),
  headerOf('webhook-signature', 'One signature, or two after a rotation (Standard Webhooks)', {
    type: 'string',
    pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$',
  }),
];

function headerOf(name: string, description: string, schema: Json): Parameter {
  return { name, in: 'header', required: true, description, schema };
}
