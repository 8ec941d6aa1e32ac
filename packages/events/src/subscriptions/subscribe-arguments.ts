import { invalid, nearestName, Refusal, RequestFields, showValue } from '@tallystick/kernel';
import type { Event } from '../log/event-log.ts';
import {
  all_types_id,
  event_types,
  event_types_without_id,
  subscribedNameOf,
  toStoredName,
} from '../log/event-type.ts';

/** Event types as a subscription names them. */
export interface SubscribedTypes {
  /** Stored names in ascending order; null: every type. */
  readonly stored_names: readonly string[] | null;
  /**
   * The event under the name that was subscribed to, as webhooks have it: an event that is stored
   * as `virtualcard.realtime.auths` is delivered as `virtualcard.realtime.iccp.all` to who asked
   * for that name only.
   */
  toSubscribed(event: Event): Event;
}

export const subscribable_types: readonly string[] = [
  ...event_types.map(({ name }) => name),
  ...event_types_without_id,
];

/**
 * Reads names of event types. Refuses (`validation_failed`) an empty list, and a name that no type
 * has, with the nearest one.
 */
export function parseSubscribedTypes(names: readonly string[]): SubscribedTypes {
  if (!Array.isArray(names) || names.length === 0) {
    throw refusal(`must name at least one event type, such as ["virtualcard.clearings"] or ["all"]`);
  }
  for (const name of names) if (!subscribable_types.includes(name)) throw refusal(unknownType(name));
  const ids = event_types.filter(({ name }) => names.includes(name)).map(({ id }) => id);
  const is_all = ids.includes(all_types_id);
  const stored_names = is_all ? null : [...new Set(names.map((name) => toStoredName(name)!))].sort();
  return {
    stored_names,
    toSubscribed(event) {
      const name = subscribedNameOf(event.event_type, ids) ?? event.event_type;
      return name === event.event_type ? event : { ...event, event_type: name };
    },
  };
}

function unknownType(name: unknown): string {
  const nearest = typeof name === 'string' ? nearestName(name, subscribable_types) : null;
  const hint = nearest === null ? `the types are ${subscribable_types.join(', ')}` : `did you mean "${nearest}"?`;
  return `has no type ${showValue(name)}; ${hint}`;
}

function refusal(message: string): Refusal {
  return new Refusal('validation_failed', `event_types ${message}`, [{ path: 'event_types', message }]);
}

export interface SubscribeOptions {
  /**
   * Where a new name starts: at `now` when absent, or at the oldest stored event. A known name
   * continues where it was.
   */
  readonly from?: 'now' | 'beginning';
  /** Only events of this company. Absent: of every company. */
  readonly company_id?: number | string;
}

const option_names: readonly string[] = ['from', 'company_id'];

/** Refuses (`validation_failed`) options that are not an object, unknown ones, and invalid values. */
export function readSubscribeOptions(options: SubscribeOptions = {}): {
  readonly from: 'now' | 'beginning';
  readonly company_id: number | null;
} {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid({ path: 'options', message: `must be an object, not ${showValue(options)}` });
  }
  const fields = new RequestFields(options);
  for (const name of Object.keys(options)) {
    if (option_names.includes(name)) continue;
    const nearest = nearestName(name, option_names);
    fields.addProblem(name, `is no option; ${nearest === null ? 'there are from and company_id' : `use ${nearest}`}`);
  }
  const { from = 'now' } = options;
  if (from !== 'now' && from !== 'beginning') fields.addProblem('from', 'must be "now" or "beginning"');
  const company_id = fields.readId('company_id');
  // Null would mean every company, which nobody may have meant.
  if (fields.resets('company_id')) fields.addProblem('company_id', 'must be an id, or absent for every company');
  fields.refuseInvalid();
  return { from, company_id };
}
