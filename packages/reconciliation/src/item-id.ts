import { assert } from '@tallystick/kernel';

/** The kinds of records that items are made of. The order decides between equal arrival times. */
export const record_kinds = ['authorization', 'clearing', 'line'] as const;

export type RecordKind = (typeof record_kinds)[number];

export interface RecordKey {
  readonly kind: RecordKind;
  readonly id: number;
}

const stride = 4;

/** The id of an item whose first record this is. */
export function itemIdOf({ kind, id }: RecordKey): number {
  const item_id = id * stride + record_kinds.indexOf(kind);
  assert(Number.isSafeInteger(item_id), `no item can have the record ${kind} ${id}`);
  return item_id;
}

/** The record that gave an item its id; null when no item can have this id. */
export function recordOfItemId(item_id: number): RecordKey | null {
  const kind = record_kinds[item_id % stride];
  const id = Math.floor(item_id / stride);
  return kind === undefined || id < 1 ? null : { kind, id };
}

/** The ids of the records of an item; a kind that it cannot have may be left out. */
export interface RecordIds {
  readonly authorization_ids?: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
}

export function recordsOf({ authorization_ids = [], clearing_ids, line_ids }: RecordIds): readonly RecordKey[] {
  return [
    ...authorization_ids.map((id): RecordKey => ({ kind: 'authorization', id })),
    ...clearing_ids.map((id): RecordKey => ({ kind: 'clearing', id })),
    ...line_ids.map((id): RecordKey => ({ kind: 'line', id })),
  ];
}
