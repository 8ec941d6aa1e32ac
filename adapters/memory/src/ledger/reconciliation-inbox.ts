import type { Authorization, Clearing } from '@tallystick/cards';
import type { InboxRow, State } from '../storage/state.ts';

/**
 * Enters an authorization into the inbox of reconciliation when it may have an item, or when
 * something other than a clearing changed it: the clearing enters itself. On databases triggers do
 * this.
 */
export function enterAuthorization(state: State, before: Authorization | null, after: Authorization): void {
  const { id, company_id, root_id, decline_code, authorized, cleared } = after;
  if (root_id !== id) return;
  if (before === null) {
    if (decline_code === null && (authorized !== 0 || cleared !== 0))
      enterRecord(state, { company_id, kind: 'authorization', record_id: id });
    return;
  }
  const is_status_changed =
    before.status !== after.status ||
    before.uncleared_status !== after.uncleared_status ||
    before.decline_code !== decline_code;
  const is_changed =
    before.authorized !== authorized ||
    before.hold_end_ms !== after.hold_end_ms ||
    (before.cleared === cleared && is_status_changed);
  if (is_changed) enterRecord(state, { company_id, kind: 'authorization', record_id: id });
}

const matched_fields = [
  'authorization_id',
  'clearing_id',
  'match_rule',
  'class',
  'review',
  'network_financial_transaction_id',
] as const;

/** Enters a clearing that is new or was matched again. */
export function enterClearing(state: State, before: Clearing | null, after: Clearing): void {
  const is_changed =
    before === null ||
    matched_fields.some((name) => before[name] !== after[name]) ||
    JSON.stringify(before.choices) !== JSON.stringify(after.choices);
  if (is_changed) enterRecord(state, { company_id: after.company_id, kind: 'clearing', record_id: after.id });
}

export function enterRecord({ reconciliation_inbox }: State, row: InboxRow): void {
  reconciliation_inbox.set(reconciliation_inbox.nextId(), row);
}
