import {
  type EventType,
  event_types,
  event_types_without_id,
  type FilterField,
  type ForeignEventType,
  filter_fields,
  filter_value_forms,
  foreign_event_types,
  foreign_payload_bytes_max,
  indexed_text_max,
  type Payload,
} from '@tallystick/events';
import * as z from 'zod';
import { overridden_decision } from '../decision-endpoint/consultation-shapes.ts';
import {
  created_at,
  id_either,
  id_number,
  id_text,
  resource_url,
  resourceType,
  type ShapeOf,
  type_names,
} from '../fields.ts';
import { authorization_item, clearing_item } from '../network/shapes.ts';
import { approval_state } from '../reconciliation/approval-shapes.ts';
import { break_state } from '../reconciliation/shapes.ts';
import { template_item } from '../templates/shapes.ts';
import { card_state } from '../virtual-cards/shapes.ts';
import type { presentEvent } from './presenter.ts';

/** A state that another system of the bank recorded: any JSON object. */
export const foreign_state = z
  .record(z.string(), z.unknown())
  .describe('Any JSON object. Anything that could be a card number is masked')
  .meta({ id: 'ForeignState' });

/** Events whose states have one kind, with the meaning of each type. */
interface EventKind {
  /** The name of the event's schema. */
  readonly id: string;
  readonly description: string;
  readonly state: z.ZodType<Payload>;
  /** By the stored name of the type: the condition under which its events are recorded. */
  readonly types: Readonly<Record<string, string>>;
}

const foreign_events: EventKind = {
  id: 'ForeignEventRecord',
  description: 'An event that another system of the bank recorded',
  state: foreign_state,
  types: {
    'ach.status': 'An ACH transfer fails',
    'ach.status.advice': 'The status of an ACH transfer changes, and it has not failed',
    'ach.$$limit.exceeded': 'An ACH limit is exceeded',
    'onboarding.company.status': 'The onboarding status of the company changes',
  } satisfies Record<ForeignEventType, string>,
};

export const event_kinds: readonly EventKind[] = [
  {
    id: 'VirtualCardEvent',
    description: 'A virtual card was created, changed or canceled',
    state: card_state,
    types: {
      'virtualcard.created': 'A virtual card is created',
      'virtualcard.updated': 'A virtual card is changed',
      'virtualcard.deleted': 'A virtual card is canceled',
    },
  },
  {
    id: 'AuthorizationEvent',
    description: 'An authorization was received, or its state changed',
    state: authorization_item,
    types: { 'virtualcard.realtime.auths': 'An authorization message about a virtual card is decided or recorded' },
  },
  {
    id: 'OverriddenDecisionEvent',
    description: 'An answer of a company came after its request was decided',
    state: overridden_decision,
    types: {
      'virtualcard.decision.overridden':
        'The decision endpoint answers after the request was decided without it. The decision stays',
    },
  },
  {
    id: 'ClearingEvent',
    description: 'A clearing was received, or its match changed',
    state: clearing_item,
    types: { 'virtualcard.clearings': 'A clearing of a virtual card is recorded' },
  },
  {
    id: 'TemplateEvent',
    description: 'A purchase template is ready for use',
    state: template_item,
    types: { 'virtualcard.purchasetemplate.created': 'A requested purchase template is ready for use' },
  },
  {
    id: 'ReconciliationBreakEvent',
    description: 'A break was opened, grew older or was resolved',
    state: break_state,
    types: {
      'reconciliation.break.opened': 'An item of reconciliation becomes a break, or a break of another kind',
      'reconciliation.break.aged': 'A break comes to the next age bucket',
      'reconciliation.break.resolved': 'An item is no break any more',
    },
  },
  {
    id: 'ReconciliationApprovalEvent',
    description: 'An act needs a second person, or that person has decided',
    state: approval_state,
    types: {
      'reconciliation.approval.asked': 'An act waits for a second person',
      'reconciliation.approval.approved': 'An act was approved and done',
      'reconciliation.approval.refused': 'An act was refused',
      'reconciliation.approval.withdrawn': 'An act was withdrawn by the one who asked for it',
      'reconciliation.approval.outdated': 'An act that waited can no longer be done',
    },
  },
  foreign_events,
];

/** An event as answers show it (service specification 2.4). */
function eventOf({ id, description, types, state }: EventKind) {
  return z
    .object({
      id: id_text.describe('The id of the event, as digits. Later events have higher ids'),
      event_type: z.enum(Object.keys(types)).describe('The stored name of its type. It states what `payload` is'),
      payload: state.describe('The state of the object after the change'),
      previous: state.nullable().describe('The state of the object before the change; null: it was created'),
      created_at,
      type: resourceType('event'),
      url: resource_url,
    } satisfies ShapeOf<ReturnType<typeof presentEvent>>)
    .meta({ id, description });
}

const event_schemas = new Map(event_kinds.map((kind) => [kind, eventOf(kind)]));

export const foreign_event_record = event_schemas.get(foreign_events)!;

export const event = z
  .discriminatedUnion('event_type', [...event_schemas.values()] as [ReturnType<typeof eventOf>])
  .meta({ id: 'Event', description: 'An event. `event_type` states which' });

/** The names under which events are delivered: the names of all types, also their second names. */
export const delivered_names = [
  ...event_types.map(({ name }) => name).filter((name) => name !== 'all'),
  ...event_types_without_id,
];

export const event_type_name = z.enum(delivered_names).register(type_names, { id: 'EventTypeName' });

/** An event type (service specification 2.5). */
export const event_type = z
  .object({
    id: id_number
      .meta({ enum: event_types.map(({ id }) => id) })
      .describe('The id of the type, for `event_type_ids` of webhooks'),
    name: z.enum(event_types.map(({ name }) => name)).describe('The name under which its events are delivered'),
  } satisfies ShapeOf<EventType>)
  .meta({ id: 'EventType', description: 'A type of events that a webhook can subscribe to' });

/** `POST /operator/v1/events`: an event of another system. */
export const foreign_event = z
  .object({
    data: z.object({
      company_id: id_either.describe('The company whose object has changed'),
      event_type: z
        .string()
        .meta({ enum: foreign_event_types })
        .describe('The type of an event that another system of the bank records')
        .register(type_names, { id: 'ForeignEventType' }),
      payload: z
        .record(z.string(), z.unknown())
        .describe(`Current state of the object: at most ${foreign_payload_bytes_max} bytes of JSON`),
      previous: z.record(z.string(), z.unknown()).nullish().describe('State before; null: the object is new'),
    }),
  })
  .meta({
    id: 'ForeignEvent',
    description: 'An event of another system of the bank',
    examples: [
      {
        data: {
          company_id: 1,
          event_type: 'ach.status',
          payload: { id: 77, return_code: 'R01', status: 'failed' },
          previous: { id: 77, return_code: null, status: 'pending' },
        },
      },
    ],
  });

/** A single text, not a range. */
const text = z
  .string()
  .min(1)
  .max(indexed_text_max)
  .regex(/^(?!\[[\s\S]*\]$)/);

/** An instant, a date or a range of these: `parseInstants` reads it. */
export const instants_filter: z.ZodType = filterOf(filter_fields.created_at);

/** The filters of `GET /v1/events`, for the document (service specification 4.3). */
export const event_filter: z.ZodObject = z
  .object({
    ...Object.fromEntries(
      Object.entries(filter_fields).map(([name, field]) => [
        name,
        filterOf(field).describe(filterMeaning(name, field)),
      ]),
    ),
    event_type: z
      .enum([...event_types.map(({ name }) => name), ...event_types_without_id])
      .describe('Only events of this type; `all` is every type'),
    // One pattern: generators of clients cannot read two.
    'payload.card_number': z
      .string()
      .min(1)
      .max(indexed_text_max)
      .regex(/^(?!\[[\s\S]*\]$|[\s\S]*\d{5})/)
      .describe('The masked number, as events show it. Never send a whole number in a query'),
  })
  .partial()
  .describe('Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be empty.');

function filterMeaning(name: string, { type, range }: Omit<FilterField, 'name'>): string {
  const of = name === 'created_at' ? 'that were recorded at this time' : `with this \`${name}\``;
  const form = {
    integer: 'an integer; amounts are in minor units',
    text: 'text, compared as a whole',
    instant: 'an instant, or a date, which means its whole GMT day. Write the + of an offset as %2B',
  }[type];
  return `Only events ${of}: ${form}${range ? '. Or a range `[from,to]`' : ''}`;
}

/** One value, or a range where the field supports one. */
function filterOf({ type, range }: Omit<FilterField, 'name'>): z.ZodType {
  const value = {
    integer: z.int(),
    text,
    instant: z
      .string()
      .regex(filter_value_forms.instant)
      .describe('An instant, or a date, which means its whole GMT day. Write the + of an offset as %2B'),
  }[type];
  return range ? z.union([value, rangeOf(type)]) : value;
}

function rangeOf(type: FilterField['type']): z.ZodType {
  const end = type === 'text' ? '[^,]*' : `(?:${filter_value_forms[type].source.slice(1, -1)})?`;
  return z.string().regex(new RegExp(`^\\[(?!\\s*,\\s*\\]$)\\s*${end}\\s*,\\s*${end}\\s*\\]$`));
}
