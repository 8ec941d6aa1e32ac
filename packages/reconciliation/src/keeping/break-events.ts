import type { NewEvent, Payload } from '@tallystick/events';
import type { Item } from '../item.ts';
import { bucketOf } from '../items/age.ts';
import type { ItemChange } from './recompute.ts';

/**
 * The events of the changes of items (decision: reconciliation): a break was opened, has come to
 * another age bucket, or was resolved. An item whose break became another kind opens it again, with
 * the earlier kind in `previous`.
 */
export function breakEvents(changes: readonly ItemChange[], now_ms: number): readonly NewEvent[] {
  return changes.flatMap((change) => eventOf(change, now_ms) ?? []);
}

function eventOf({ before, after }: ItemChange, now_ms: number): NewEvent | null {
  const was_break = before?.status === 'break';
  const is_break = after?.status === 'break';
  if (!was_break && !is_break) return null;
  if (!is_break) return event(before!, 'resolved', after, before, now_ms);
  if (!was_break || before.kind !== after.kind) return event(after, 'opened', after, was_break ? before : null, now_ms);
  const aged = bucketBefore(before, now_ms) !== bucketNow(after, now_ms);
  return aged ? event(after, 'aged', after, before, now_ms) : null;
}

function event(
  { id, company_id }: Item,
  name: 'opened' | 'aged' | 'resolved',
  after: Item | null,
  before: Item | null,
  now_ms: number,
): NewEvent {
  return {
    company_id,
    event_type: `reconciliation.break.${name}`,
    // An item that is no more was merged into another one: its id leads there.
    payload: after === null ? { item_id: id, status: 'merged' } : payloadOf(after, bucketNow(after, now_ms)),
    previous: before === null ? null : payloadOf(before, bucketBefore(before, now_ms)),
    created_at_ms: now_ms,
    request_id: null,
  };
}

function payloadOf(item: Item, age: string | null): Payload {
  const {
    id,
    kind,
    status,
    authorized,
    cleared,
    stated,
    fees,
    difference,
    currency,
    due_date,
    vcn_id,
    frozen_item_id,
  } = item;
  return {
    item_id: id,
    kind,
    status,
    class: item.class,
    vcn_id,
    authorized,
    cleared,
    stated,
    fees,
    difference,
    currency,
    due_date,
    age,
    frozen_item_id,
  };
}

function bucketNow({ status, due_date }: Item, now_ms: number): string | null {
  return status === 'break' && due_date !== null ? bucketOf(due_date, now_ms) : null;
}

/** The bucket that the stored state was in: it is stored until its next change. */
function bucketBefore(before: Item, now_ms: number): string | null {
  return bucketNow(before, Math.min(now_ms, (before.next_change_ms ?? Number.POSITIVE_INFINITY) - 1));
}
