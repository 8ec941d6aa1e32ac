import type { NewEvent, Payload } from '@tallystick/events';
import type { Item } from '../item.ts';
import { itemIdOf, recordsOf } from '../item-id.ts';
import { bucketOf } from '../items/age.ts';
import type { ItemChange } from './item-change.ts';

/**
 * The events of the changes of items (decision: reconciliation): a break was opened, has come to
 * another age bucket, or was resolved. An item whose break became another kind opens it again, with
 * the earlier kind in `previous`.
 */
export function breakEvents(changes: readonly ItemChange[], now_ms: number): readonly NewEvent[] {
  const has_removed = changes.some(({ after }) => after === null);
  const shown = new Set(
    has_removed ? changes.flatMap(({ after }) => (after === null ? [] : recordsOf(after).map(itemIdOf))) : [],
  );
  return changes.flatMap((change) => eventOf(change, shown, now_ms) ?? []);
}

/** `shown`: the records of all items after the changes, by `itemIdOf`. */
function eventOf({ before, after }: ItemChange, shown: ReadonlySet<number>, now_ms: number): NewEvent | null {
  const was_break = before?.status === 'break';
  const is_break = after?.status === 'break';
  if (!was_break && !is_break) return null;
  if (after === null) {
    // The id of an item that was merged into another one leads there.
    const is_merged = recordsOf(before!).some((record) => shown.has(itemIdOf(record)));
    const payload = { item_id: before!.id, status: is_merged ? 'merged' : 'removed' };
    return event(before!, 'resolved', payload, before, now_ms);
  }
  const payload = payloadOf(after, bucketNow(after, now_ms));
  if (!is_break) return event(after, 'resolved', payload, before, now_ms);
  if (!was_break || before.kind !== after.kind) {
    return event(after, 'opened', payload, was_break ? before : null, now_ms);
  }
  const aged = bucketBefore(before, now_ms) !== bucketNow(after, now_ms);
  return aged ? event(after, 'aged', payload, before, now_ms) : null;
}

function event(
  { company_id }: Item,
  name: 'opened' | 'aged' | 'resolved',
  payload: Payload,
  before: Item | null,
  now_ms: number,
): NewEvent {
  return {
    company_id,
    event_type: `reconciliation.break.${name}`,
    payload,
    previous: before === null ? null : payloadOf(before, bucketBefore(before, now_ms)),
    created_at_ms: now_ms,
    request_id: null,
  };
}

const payload_fields = [
  'kind',
  'status',
  'class',
  'vcn_id',
  'authorized',
  'cleared',
  'stated',
  'fees',
  'difference',
  'currency',
  'due_date',
] as const satisfies readonly (keyof Item)[];

function payloadOf(item: Item, age: string | null): Payload {
  const fields = Object.fromEntries(payload_fields.map((name) => [name, item[name]]));
  return { item_id: item.id, ...fields, age, frozen_item_id: item.frozen_item_id };
}

function bucketNow({ status, due_date }: Item, now_ms: number): string | null {
  return status === 'break' && due_date !== null ? bucketOf(due_date, now_ms) : null;
}

/** The bucket that the stored state was in: it is stored until its next change. */
function bucketBefore(before: Item, now_ms: number): string | null {
  return bucketNow(before, Math.min(now_ms, (before.next_change_ms ?? Number.POSITIVE_INFINITY) - 1));
}
