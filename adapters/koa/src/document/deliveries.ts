import { toStoredName } from '@tallystick/events';
import { delivered_names, event_kinds, shown_instant, webhook_state } from '@tallystick/operations';
import * as z from 'zod';
import type { Operation, Parameter } from './schemas.ts';
import { type Json, jsonContentOf, schemaOf } from './schemas.ts';

/** A request that the service sends to a callback URL. */
export interface DocumentedDelivery {
  readonly post: Operation;
}

/** A delivery of an event of one type, or a test delivery. */
interface Delivered {
  readonly name: string;
  readonly summary: string;
  /** `data` of its body. */
  readonly data: z.ZodObject;
}

const test_name = 'webhooks.test';

const delivered: readonly Delivered[] = [
  ...delivered_names.map((name) => {
    const stored_name = toStoredName(name) ?? name;
    const kind = event_kinds.find(({ types }) => Object.hasOwn(types, stored_name));
    if (kind === undefined)
      throw new TypeError(`the event type ${name} is missing from event_kinds in events/shapes.ts`);
    const { types, state } = kind;
    return { name, summary: types[stored_name] ?? name, data: dataOf(name, state, previousOf(state)) };
  }),
  {
    name: test_name,
    summary: 'A test delivery is requested',
    data: dataOf(test_name, webhook_state, z.null().describe('Always null: a test has no earlier state')),
  },
];

function previousOf(state: z.ZodType): z.ZodType {
  return state.nullable().describe('The state of the object before the event; null: the event created it');
}

/** `data` of a delivery (service specification 2.7). */
function dataOf(name: string, state: z.ZodType, previous: z.ZodType): z.ZodObject {
  const is_test = name === test_name;
  const words = name.split(/\W+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return z
    .object({
      date: shown_instant.describe('When the event was recorded. ISO 8601, UTC'),
      'event-id': is_test
        ? z.int().min(0).max(0).describe('0: a test is no event of the log')
        : z.int().min(1).describe('The id of the event in the log, the same in every delivery of the event'),
      payload: state.describe('The state of the object after the event'),
      previous,
      type: z.literal(name).describe('The name of the type under which the webhook subscribed to the event'),
    })
    .meta({ id: `${words.join('')}Delivery`, description: is_test ? 'A test delivery' : `An event \`${name}\`` });
}

/** What a callback URL receives. A receiver of several types distinguishes them by \`type\`. */
const delivered_event = z
  .discriminatedUnion('type', delivered.map(({ data }) => data) as [z.ZodObject])
  .meta({ id: 'DeliveredEvent', description: '`data` of any delivery. `type` states the payload' });

/** The deliveries of every event type and the test delivery (service specification 2.7 and 6). */
export function describeDeliveries(): Readonly<Record<string, DocumentedDelivery>> {
  return Object.fromEntries(delivered.map((one) => [one.name, { post: deliveryOf(one) }]));
}

/** The schemas that the deliveries name. */
export const delivery_schemas: readonly z.ZodType[] = [delivered_event];

function deliveryOf({ name, summary, data }: Delivered): Operation {
  return {
    summary,
    description:
      name === test_name
        ? 'Sent once, whatever the status and the event types of the webhook are.'
        : `Sent to the webhook that has the type \`${name}\`, or all types. A repeated attempt has the same body and the same \`webhook-id\`.`,
    tags: ['Webhooks'],
    operationId: `deliver.${name}`,
    ...requestOf(data),
  };
}

/** Every delivery, as what follows from the registration of a webhook. */
export function describeCallback(): Json {
  const post = {
    summary: 'Deliver an event',
    description: 'The webhooks of this document describe the delivery of each event type.',
    ...requestOf(delivered_event),
  };
  return { delivery: { '{$request.body#/data/callback_url}': { post } } };
}

function requestOf(data: z.ZodType): Pick<Operation, 'parameters' | 'requestBody' | 'responses' | 'security'> {
  const body = { type: 'object', properties: { data: schemaOf(data) }, required: ['data'] };
  return {
    parameters,
    requestBody: { required: true, content: jsonContentOf(body) },
    responses: {
      '2XX': { description: 'The delivery has succeeded' },
      410: { description: 'The delivery has failed and is not repeated' },
      default: {
        description: 'The delivery is repeated, up to five attempts in total. The same applies when there is no answer',
      },
    },
    security: [],
  };
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
