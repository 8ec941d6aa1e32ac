import {
  type FieldError,
  invalid,
  isSharedSecret,
  type Refusal,
  shared_secret_length_max,
  shared_secret_length_min,
} from '@tallystick/kernel';
import { canonicalTypeId, event_types } from '../log/event-type.ts';

export const webhook_statuses = ['active', 'inactive'] as const;

export type WebhookStatus = (typeof webhook_statuses)[number];

/** A callback URL to which a company's events are posted (service specification 2.6). */
export interface Webhook {
  readonly id: number;
  readonly company_id: number;
  /** Exactly as the client wrote it: signatures are made over it. */
  readonly callback_url: string;
  /** Ids of /v1/events/types, as written by the client, without repetition. */
  readonly event_type_ids: readonly number[];
  readonly status: WebhookStatus;
  readonly secret_sealed: Uint8Array;
  /** The secret before the last rotation, and until when it signs too; both null when there is none. */
  readonly previous_secret_sealed: Uint8Array | null;
  readonly previous_secret_until_ms: number | null;
  readonly created_at_ms: number;
}

/** What a client may ask for when it registers a webhook; null counts as absent. */
export interface WebhookRequestInput {
  readonly callback_url?: string | null | undefined;
  readonly event_type_ids?: readonly number[] | null | undefined;
  readonly secret?: string | null | undefined;
  readonly status?: string | null | undefined;
}

/** Tells why a callback URL may not be called, as far as its text shows; null when nothing speaks against it. */
export type CallbackUrlPolicy = (callback_url: string) => string | null;

const callback_url_length_max = 2_048;

/** Every problem of a registration or an update at once. */
export function webhookProblems(input: WebhookRequestInput, policy: CallbackUrlPolicy): readonly FieldError[] {
  const problems: FieldError[] = [];
  const { callback_url, event_type_ids, secret, status } = input;
  if (callback_url != null) {
    const problem =
      callback_url.length > callback_url_length_max
        ? `must have at most ${callback_url_length_max} characters`
        : policy(callback_url);
    if (problem !== null) problems.push({ path: 'callback_url', message: problem });
  }
  if (event_type_ids != null) {
    const unknown = event_type_ids.find((id) => !event_types.some((type) => type.id === id));
    if (unknown !== undefined) {
      const known = event_types.map((type) => type.id).join(', ');
      problems.push({
        path: 'event_type_ids',
        message: `has ${unknown}, which is no event type; the types are ${known}`,
      });
    }
  }
  if (secret != null && !isSharedSecret(secret)) {
    problems.push({
      path: 'secret',
      message: `must have ${shared_secret_length_min} to ${shared_secret_length_max} characters`,
    });
  }
  if (status != null && !webhook_statuses.some((known) => known === status)) {
    problems.push({ path: 'status', message: 'must be active or inactive' });
  }
  return problems;
}

/** The ids without repetition, in the order given; 6 and 10 are one type, and the first of them stays. */
export function distinctTypeIds(ids: readonly number[]): readonly number[] {
  return ids.filter((id, place) => ids.findIndex((other) => canonicalTypeId(other) === canonicalTypeId(id)) === place);
}

/** The refusal of a type that another webhook of the company has already. */
export function typeTaken(event_type_id: number, webhook_id: number): Refusal {
  const message = `has ${event_type_id}, which webhook ${webhook_id} has already: only one callback URL may be set for an event type`;
  return invalid({ path: 'event_type_ids', message });
}
