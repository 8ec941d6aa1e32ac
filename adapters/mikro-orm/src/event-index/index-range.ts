import type { FilterName } from '@tallystick/events';
import { event_filter_columns, event_filter_numbers } from '../schema/tables/events.ts';
import { addEntries, type FilterBlock, type KeyedOffsets, toBlocks } from './filter-block.ts';
import { companyPart, type FilterKey, keyOf } from './filter-key.ts';

/** The ids from `from_id` on, `range_size` of them. */
export interface EventRange {
  readonly from_id: number;
  readonly range_size: number;
}

/** A row of `event_filter_blocks` without its range. */
export interface FieldBlock extends FilterBlock {
  readonly field: number;
}

/** A filter of the index: its number and the column of `events` with its values. */
export interface IndexedField {
  readonly field: number;
  readonly column: string;
}

/** The filters of the index, by number. */
export const indexed_fields: readonly IndexedField[] = Object.entries(event_filter_numbers)
  .map(([name, field]) => ({ field, column: event_filter_columns[name as FilterName] }))
  .toSorted((a, b) => a.field - b.field);

/** An event as its id, its company and its values of some fields, in their order. */
export type FilterValues = readonly [id: number, company_id: number, ...values: (string | number | null)[]];

/** The blocks of a field over the range. `at` is the place of the field among the values. */
export function indexField(
  { from_id }: EventRange,
  { field }: IndexedField,
  events: readonly FilterValues[],
  at: number,
): FieldBlock[] {
  const keyed: KeyedOffsets[] = [];
  let last_company: number | null = null;
  let company_part: FilterKey = '';
  let last_value: string | number | null = null;
  let offsets: number[] = [];
  for (const event of events) {
    const company_id = event[1];
    const value = event[2 + at];
    if (value === null || value === undefined) continue;
    // Events in sequence often have the same value.
    if (company_id !== last_company || value !== last_value) {
      if (company_id !== last_company) company_part = companyPart(company_id);
      last_company = company_id;
      last_value = value;
      offsets = [];
      keyed.push({ key: keyOf(company_part, value), offsets });
    }
    offsets.push(event[0] - from_id);
  }
  return toBlocks(keyed).map((block) => ({ ...block, field }));
}

/** A block of a field as it is stored for a segment. */
export interface SegmentBlock {
  /** The first id of the segment. */
  readonly from_id: number;
  readonly entries: Buffer;
}

/** The blocks of a field over a volume, from those of its segments in ascending order. */
export function mergeField(
  { from_id }: EventRange,
  { field }: IndexedField,
  segments: readonly SegmentBlock[],
): FieldBlock[] {
  const keyed: KeyedOffsets[] = [];
  for (const segment of segments) addEntries(segment.entries, segment.from_id - from_id, keyed);
  return toBlocks(keyed).map((block) => ({ ...block, field }));
}
