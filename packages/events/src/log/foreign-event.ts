import {
  type Call,
  hasNumberAsName,
  isStorable,
  maskJson,
  number_as_name_problem,
  RequestFields,
} from '@tallystick/kernel';
import type { Event, EventsTx, Payload } from './event-log.ts';

/**
 * The types of events that other systems of the bank submit. All other types are written only by
 * the service's own changes.
 */
export const foreign_event_types = [
  'ach.status',
  'ach.status.advice',
  'ach.$$limit.exceeded',
  'onboarding.company.status',
] as const;

export type ForeignEventType = (typeof foreign_event_types)[number];

/** The largest payload and the largest previous state, each, in bytes of UTF-8 JSON. */
export const foreign_payload_bytes_max = 64 * 1024;

const depth_max = 32;

/** An event of another system, for a company. */
export interface ForeignEventRequest {
  readonly event_type: string;
  /** Current state of the object. */
  readonly payload: Payload;
  /** The previous state; null or absent when the object is new. */
  readonly previous?: Payload | null | undefined;
}

/**
 * Records an event of another system in the company's log. `call.company_id` must be the id of a
 * company. Anything in its states that could be a card number is masked, at any depth: no event
 * contains a card number (decision: virtual cards), whichever system wrote it. Refuses
 * (`validation_failed`) types that are not foreign, states that are not JSON objects within the
 * bounds, and property names that contain a card number.
 */
export async function recordForeignEvent(tx: EventsTx, call: Call, request: ForeignEventRequest): Promise<Event> {
  const { event_type, payload, previous = null } = request;
  const fields = new RequestFields(request);
  fields.require('event_type', foreign_event_types.join(', '));
  fields.readChoice('event_type', foreign_event_types);
  fields.addProblem('payload', stateProblem(payload));
  if (previous !== null) fields.addProblem('previous', stateProblem(previous));
  fields.refuseInvalid();

  const [event] = await tx.events.append([
    {
      company_id: call.company_id,
      event_type,
      payload: maskJson(payload) as Payload,
      previous: maskJson(previous) as Payload | null,
      created_at_ms: call.now_ms,
      request_id: call.request_id,
    },
  ]);
  return event!;
}

/** Returns why a value cannot be the state of an object, or null when it can. */
function stateProblem(state: unknown): string | null {
  if (!isPlainObject(state)) return 'must be an object';
  const problem = valueProblem(state, depth_max);
  if (problem !== null) return problem;
  if (hasNumberAsName(state)) return number_as_name_problem;
  const byte_count = new TextEncoder().encode(JSON.stringify(state)).length;
  if (byte_count <= foreign_payload_bytes_max) return null;
  return `must be at most ${foreign_payload_bytes_max} bytes of JSON; it has ${byte_count}`;
}

function valueProblem(value: unknown, depth_left: number): string | null {
  switch (typeof value) {
    case 'string':
      return isStorable(value) ? null : 'must contain valid text only: no NUL character, no half of a surrogate pair';
    case 'number':
      if (!Number.isFinite(value)) return 'must contain JSON values only';
      // Such a number has lost its last digits, so a card number of 17 to 19 digits could not be
      // recognised.
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
        return 'must not contain a number past 2^53, which would lose digits: write it as text';
      return null;
    case 'boolean':
      return null;
    case 'object':
      break;
    default:
      return 'must contain JSON values only';
  }
  if (value === null) return null;
  if (depth_left === 0) return `must be nested at most ${depth_max} deep`;
  if (!Array.isArray(value) && !isPlainObject(value)) return 'must contain JSON values only';
  for (const [name, inner] of Object.entries(value)) {
    const problem = valueProblem(name, depth_left) ?? valueProblem(inner, depth_left - 1);
    if (problem !== null) return problem;
  }
  return null;
}

function isPlainObject(value: unknown): value is Payload {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
