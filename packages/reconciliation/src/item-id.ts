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

/** The records of something with one authorization at most; ids ascend. */
export interface MatchedIds {
  readonly authorization_id: number | null;
  readonly clearing_ids: readonly number[];
  readonly line_ids: readonly number[];
}

export function recordsOf({
  authorization_id = null,
  authorization_ids = authorization_id === null ? [] : [authorization_id],
  clearing_ids = [],
  line_ids = [],
}: Partial<RecordIds & MatchedIds>): readonly RecordKey[] {
  return [
    ...authorization_ids.map((id): RecordKey => ({ kind: 'authorization', id })),
    ...clearing_ids.map((id): RecordKey => ({ kind: 'clearing', id })),
    ...line_ids.map((id): RecordKey => ({ kind: 'line', id })),
  ];
}

/** The ids of those records that are of a kind, each once, ascending. */
export function idsOfKind(wanted: RecordKind, records: readonly RecordKey[]): readonly number[] {
  const ids = new Set(records.filter(({ kind }) => kind === wanted).map(({ id }) => id));
  return [...ids].sort((a, b) => a - b);
}

export function ascendingIds(rows: readonly { readonly id: number }[]): readonly number[] {
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

/** The ids of these records; null with several authorizations. */
export function matchedIdsOf(records: readonly RecordKey[]): MatchedIds | null {
  const [authorization_id = null, ...others] = idsOfKind('authorization', records);
  if (others.length > 0) return null;
  return { authorization_id, clearing_ids: idsOfKind('clearing', records), line_ids: idsOfKind('line', records) };
}

export function byId<Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
