import { type NearSide, near_columns } from '@tallystick/reconciliation';

/** The columns that begin the index of a side: what its items have in common. */
export const near_scopes = {
  unstated_clearing: ['company_id', 'currency'],
  lone_line: ['company_id', 'currency'],
  uncleared_purchase: ['vcn_id'],
  unauthorized_clearing: ['vcn_id'],
} as const satisfies Readonly<Record<NearSide, readonly string[]>>;

/**
 * Which items are in the index of a side: see `isNearSide`. Statuses are excluded one by one: the
 * index of statuses would be chosen for a list of them.
 */
export function nearCondition(side: NearSide): string {
  const { has, lacks } = near_columns[side];
  return `${has} is not null and ${lacks} is null and status <> 'ignored' and status <> 'accepted' and status <> 'matched'`;
}
