import { invalid, type Refusal, type RequestFields, showValue, type UrlPolicy } from '@tallystick/kernel';
import { event_types } from '../log/event-type.ts';
import { isWebhookSecret, webhook_secret_expected } from './secret-form.ts';

export const webhook_statuses = ['active', 'inactive'] as const;

export type WebhookStatus = (typeof webhook_statuses)[number];

/** A callback URL to which a company's events are posted (service specification 2.6). */
export interface Webhook {
  readonly id: number;
  readonly company_id: number;
  /** The URL exactly as the client wrote it. Signatures are made over it. */
  readonly callback_url: string;
  /**
   * Ids of event types exactly as the client wrote them. A repeated id, and 6 beside 10, name one
   * type and mean no second delivery.
   */
  readonly event_type_ids: readonly number[];
  readonly status: WebhookStatus;
  readonly secret_sealed: Uint8Array;
  /**
   * The previous secret of the last rotation, and the time until which it also signs; both null
   * when there is none.
   */
  readonly previous_secret_sealed: Uint8Array | null;
  readonly previous_secret_until_ms: number | null;
  readonly created_at_ms: number;
}

/** The fields that a client may set when it registers a webhook; null counts as absent. */
export interface WebhookRequestInput {
  readonly callback_url?: string | null | undefined;
  readonly event_type_ids?: readonly number[] | null | undefined;
  readonly secret?: string | null | undefined;
  readonly status?: string | null | undefined;
}

/** In UTF-16 code units. */
export const callback_url_length_max = 2_048;

/** The fields that an update may change; null where a field is absent or invalid. */
interface ChangeableFields {
  readonly event_type_ids: readonly number[] | null;
  readonly status: WebhookStatus | null;
}

/** The fields of a registration; null where a field is absent or invalid. */
interface WebhookFields extends ChangeableFields {
  readonly callback_url: string | null;
  readonly secret: string | null;
}

/** Reads the fields of a registration; `fields` collects every problem. */
export function readWebhookFields(fields: RequestFields, policy: UrlPolicy): WebhookFields {
  return {
    callback_url: readCallbackUrl(fields, 'callback_url', policy),
    event_type_ids: readEventTypeIds(fields),
    secret: fields.readSecret('secret', isWebhookSecret, webhook_secret_expected),
    status: fields.readChoice('status', webhook_statuses),
  };
}

export function readChangeableFields(fields: RequestFields): ChangeableFields {
  return {
    event_type_ids: readEventTypeIds(fields),
    status: fields.readChoice('status', webhook_statuses),
  };
}

/** Reads a URL that the service may call. */
export function readCallbackUrl(fields: RequestFields, name: string, policy: UrlPolicy): string | null {
  const rule = (text: string) => text.length <= callback_url_length_max;
  const url = fields.readText(name, rule, `text of at most ${callback_url_length_max} characters`);
  fields.addProblem(name, url === null ? null : policy(url));
  return url;
}

function readEventTypeIds(fields: RequestFields): readonly number[] | null {
  const ids = fields.readArray('event_type_ids', { min: 0, max: Number.POSITIVE_INFINITY }, 'ids');
  const unknown = ids?.find((id) => !event_types.some((type) => type.id === id));
  if (unknown !== undefined) {
    const known = event_types.map(({ id }) => id).join(', ');
    fields.addProblem('event_type_ids', `must hold ids of event types (${known}), not ${showValue(unknown)}`);
  }
  return ids as readonly number[] | null;
}

/** The refusal of a type to which another webhook of the company already subscribes. */
export function refuseTakenType(event_type_id: number, webhook_id: number): Refusal {
  const message = `has ${event_type_id}, which webhook ${webhook_id} already has: only one callback URL may be set for an event type`;
  return invalid({ path: 'event_type_ids', message });
}
