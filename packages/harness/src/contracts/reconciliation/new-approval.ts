import type { Approval, MatchedIds } from '@tallystick/reconciliation';

/**
 * An act that waits, to insert: to accept an item, to match it with other records, or with null to
 * close a period.
 */
export function newApproval(
  company_id: number,
  item_id: number | null,
  matched_with: MatchedIds | null = null,
): Omit<Approval, 'id'> {
  const asked = { company_id, item_id, asked_by: 'key:1', asked_at_ms: 5, status: 'pending' } as const;
  const undecided = { decided_by: null, decided_at_ms: null, decided_note: null };
  if (item_id === null) {
    const action = 'close_period';
    const request = { action, closed_through: '2026-05-31', period_id: null, note: null, reason: null } as const;
    return { ...asked, ...undecided, action, version: null, amount: null, currency: null, request };
  }
  const action = matched_with === null ? 'accept' : 'match';
  const nothing = { reason: null, accept_difference: false, side: null };
  const request = { action, note: 'é😀', version: 3, with: matched_with, ...nothing } as const;
  return { ...asked, ...undecided, action, version: 3, amount: 900, currency: 'USD', request };
}
