import { type FilterReaders, oneOf, parseFilters, parseText } from '../filters.ts';
import { type ApprovalStatus, approval_statuses } from './approval.ts';

/** Which approvals are wanted. Each field that is present must fit. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus;
  /** The item by its id at the time of the request. */
  readonly item_id?: number;
  readonly asked_by?: string;
}

const readers = {
  status: (text) => oneOf(approval_statuses, text, (status) => ({ status })),
  item_id: (text) =>
    /^[1-9]\d{0,14}$/.test(text) ? { item_id: Number(text) } : 'must be the id of an item, an integer',
  asked_by: (text) => parseText(text, (asked_by) => ({ asked_by })),
} satisfies FilterReaders<ApprovalFilter>;

/** The filters of a list of approvals, by their name in the query. */
export const approval_filter_names = Object.keys(readers) as (keyof typeof readers)[];

/** Reads the filters of a list of approvals, as `parseFilters` does. */
export function parseApprovalFilter(filters: Iterable<readonly [string, string]>, now_ms: number): ApprovalFilter {
  return parseFilters<ApprovalFilter>({ readers, of: 'approvals' }, filters, now_ms);
}
