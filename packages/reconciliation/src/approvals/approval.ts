import { type FourEyes, money, toInstantText } from '@tallystick/kernel';
import { act_kinds } from '../act.ts';
import { type ActRequest, concernedIds } from '../acts/act-request.ts';
import type { Difference, Item } from '../item.ts';

/**
 * An act that waits for a second person (decision: reconciliation, four eyes).
 *
 *   pending ──approve──> approving ──done──> approved
 *      │                     └──refused because the item has changed──> outdated
 *      ├──refuse──> refused
 *      └──withdraw, by the one who asked──> withdrawn
 *
 * `approving` lasts while the act is done, in transactions of its own. When a process ends in
 * between, to approve it again completes it.
 */
export const approval_statuses = ['pending', 'approving', 'approved', 'refused', 'withdrawn', 'outdated'] as const;

export type ApprovalStatus = (typeof approval_statuses)[number];

/** What can wait: each act on an item, and closing and reopening a period. */
export const approval_actions = [...act_kinds, 'close_period', 'reopen_period'] as const;

export type ApprovalAction = (typeof approval_actions)[number];

/** What was asked for about a period. */
export interface PeriodRequest {
  readonly action: 'close_period' | 'reopen_period';
  /** The last day of the period. */
  readonly closed_through: string;
  /** Of a reopening. */
  readonly period_id: number | null;
  readonly note: string | null;
  readonly reason: string | null;
}

export interface Approval {
  readonly id: number;
  readonly company_id: number;
  readonly action: ApprovalAction;
  /** The item at that time; null: it is about a period. */
  readonly item_id: number | null;
  /** The version of the item that the one who asked saw; null: it is about a period. */
  readonly version: number | null;
  /** The largest amount of the items, as it was compared; null: it is about a period. */
  readonly amount: number | null;
  readonly currency: string | null;
  readonly request: AskedRequest | PeriodRequest;
  readonly status: ApprovalStatus;
  readonly asked_by: string;
  readonly asked_at_ms: number;
  /** Who approved, refused or withdrew it, or tried to approve what was outdated; null: nobody yet. */
  readonly decided_by: string | null;
  readonly decided_at_ms: number | null;
  /** Why; of an outdated one, what has changed. */
  readonly decided_note: string | null;
}

/** The request of an act as it is stored. */
export type AskedRequest = Omit<ActRequest, 'approved'>;

/**
 * The records that an act is about, as `itemIdOf` numbers them: the first one of its item, and those
 * that a match names. While it is open, it is found by each of them. None: it is about a period.
 */
export function recordsOfApproval({ item_id, request }: Pick<Approval, 'item_id' | 'request'>): readonly number[] {
  return item_id === null || 'closed_through' in request ? [] : [...new Set(concernedIds({ item_id, request }))];
}

/** The acts by each record that they are about. */
export function byRecord(approvals: readonly Approval[]): ReadonlyMap<number, Approval> {
  return new Map(
    approvals.flatMap((approval) => recordsOfApproval(approval).map((record) => [record, approval] as const)),
  );
}

/** The amounts that an item is compared by. */
type Stake = Pick<Item, 'authorized' | 'cleared' | 'stated' | 'difference' | 'currency'>;

/** The amount of an item that is compared: the largest of its sides and its difference, without sign. */
function stakeOf({ authorized, cleared, stated, difference }: Stake): number {
  return Math.max(...[authorized, cleared, stated, difference].map((amount) => Math.abs(amount ?? 0)));
}

/** What a match makes of items, which have one currency: their sums, with the difference that it accepts. */
function together(items: readonly Item[], accepted: Difference | null): Stake {
  const sumOf = (side: 'authorized' | 'cleared' | 'stated') =>
    money(items.reduce((sum, item) => sum + (item[side] ?? 0), 0));
  const [authorized, cleared, stated] = [sumOf('authorized'), sumOf('cleared'), sumOf('stated')];
  return { authorized, cleared, stated, difference: money(accepted?.amount ?? 0), currency: items[0]!.currency };
}

/**
 * The largest amount because of which an act on these items needs a second person; null: it needs
 * none. Of a match that is also their sum: many small items lead to no large one.
 */
export function stakeAbove(
  four_eyes: FourEyes | null,
  items: readonly Item[],
  accepted: Difference | null,
): { readonly amount: number; readonly currency: string } | null {
  if (four_eyes === null) return null;
  const above = [...items, together(items, accepted)]
    .map((stake) => ({ amount: stakeOf(stake), currency: stake.currency }))
    .filter(({ amount, currency }) => amount > (four_eyes.above[currency] ?? -1));
  return above.toSorted((a, b) => b.amount - a.amount)[0] ?? null;
}

/** Whether what was asked for waits for a second person, instead of being done. */
export function isApproval<Done extends object>(result: Done | Approval): result is Approval {
  return 'asked_by' in result;
}

/** Whether it still waits, or is being done. */
export function isOpenApproval({ status }: Pick<Approval, 'status'>): boolean {
  return status === 'pending' || status === 'approving';
}

const infinitives: Readonly<Record<PeriodRequest['action'], string>> = {
  close_period: 'close the days',
  reopen_period: 'reopen the days',
};

/** What waits: a clause for people, `approval 3 (key:1 asked to accept it at ...)`. */
export function describeApproval({ id, action, request, asked_by, asked_at_ms }: Approval): string {
  const what =
    'closed_through' in request ? `${infinitives[request.action]} through ${request.closed_through}` : `${action} it`;
  return `approval ${id} (${asked_by} asked to ${what} at ${toInstantText(asked_at_ms)})`;
}

/** What events show of an approval. */
export function approvalPayload({
  id,
  request,
  company_id: _,
  asked_at_ms: _at,
  decided_at_ms: _then,
  ...approval
}: Approval) {
  return { approval_id: id, ...approval, note: request.note };
}
