export interface EventType {
  readonly id: number;
  readonly name: string;
}

export const all_types_id = 1;

/**
 * Every event type that has an id, by id (service specification 2.5). 10 is the second name of 6:
 * the specification defines the name and leaves the id open.
 */
export const event_types = [
  { id: all_types_id, name: 'all' },
  { id: 2, name: 'virtualcard.created' },
  { id: 3, name: 'virtualcard.deleted' },
  { id: 4, name: 'onboarding.company.status' },
  { id: 5, name: 'ach.status' },
  { id: 6, name: 'virtualcard.realtime.auths' },
  { id: 7, name: 'virtualcard.clearings' },
  { id: 10, name: 'virtualcard.realtime.iccp.all' },
  { id: 11, name: 'virtualcard.purchasetemplate.created' },
  { id: 13, name: 'ach.status.advice' },
] as const satisfies readonly EventType[];

/** Types that are stored and read but have no id. Only a subscription to all types matches them. */
export const event_types_without_id = [
  'virtualcard.updated',
  'virtualcard.decision.overridden',
  'ach.$$limit.exceeded',
  'reconciliation.break.opened',
  'reconciliation.break.aged',
  'reconciliation.break.resolved',
  'reconciliation.approval.asked',
  'reconciliation.approval.approved',
  'reconciliation.approval.refused',
  'reconciliation.approval.withdrawn',
  'reconciliation.approval.outdated',
] as const;

/** The id that the id of a second name is equivalent to. */
const second_names: Readonly<Record<number, number>> = { 10: 6 };

/**
 * Returns one id per type: 6 for 10, and any other id unchanged. Used by the rule of one callback
 * URL per type.
 */
export function toCanonicalTypeId(event_type_id: number): number {
  return second_names[event_type_id] ?? event_type_id;
}

const names_by_id: ReadonlyMap<number, string> = new Map(event_types.map(({ id, name }) => [id, name]));

const ids_by_name: ReadonlyMap<string, number> = new Map(event_types.map(({ id, name }) => [name, id]));

/**
 * Returns the ids that subscribe to events stored under this name, in order, without the id for all
 * types.
 */
export function subscribingIdsOf(stored_name: string): readonly number[] {
  const id = ids_by_name.get(stored_name);
  if (id === undefined || id === all_types_id) return [];
  return event_types.map((type) => type.id).filter((other) => toCanonicalTypeId(other) === toCanonicalTypeId(id));
}

/**
 * Returns the name under which an event, stored under `stored_name`, is delivered to a subscriber
 * with these ids, or null when none of the ids matches it. The name belongs to the id of the
 * subscription: the lowest id if several match. A subscription to all types only receives the
 * stored name.
 */
export function subscribedNameOf(stored_name: string, event_type_ids: readonly number[]): string | null {
  const id = subscribingIdsOf(stored_name).find((candidate) => event_type_ids.includes(candidate));
  if (id !== undefined) return names_by_id.get(id)!;
  return event_type_ids.includes(all_types_id) ? stored_name : null;
}

/**
 * Returns the name under which events of a type are stored, for any of the type's names. Returns
 * null for a name that no event has. No event is stored as `all`.
 */
export function toStoredName(name: string): string | null {
  if (event_types_without_id.some((known) => known === name)) return name;
  const id = ids_by_name.get(name);
  if (id === undefined || id === all_types_id) return null;
  return names_by_id.get(toCanonicalTypeId(id))!;
}
