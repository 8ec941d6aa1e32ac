import type { ReconciliationActRow } from '@tallystick/cards';
import { type Act, type ActKind, recordOfItemId } from '@tallystick/reconciliation';
import type { State } from '../storage/state.ts';

/**
 * Records an act and enters its item into the inbox. Acts and the ledger both write acts this way.
 */
export function insertAct({ reconciliation_acts, reconciliation_inbox }: State, act: Omit<Act, 'id'>): Act {
  const id = reconciliation_acts.nextId();
  const record = recordOfItemId(act.item_id);
  if (record !== null) {
    const { kind, id: record_id } = record;
    reconciliation_inbox.set(reconciliation_inbox.nextId(), { company_id: act.company_id, kind, record_id });
  }
  return reconciliation_acts.set(id, { ...act, id });
}

/** The act of a pass, whose subject is JSON text. */
export function actOf({ action, subject, ...row }: ReconciliationActRow): Omit<Act, 'id'> {
  return { ...row, action: action as ActKind, subject: JSON.parse(subject) };
}
