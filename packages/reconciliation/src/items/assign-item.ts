import { auditEntry, type Call, isName, maskCardNumbers, RequestFields } from '@tallystick/kernel';
import type { ActTx } from '../acts/act-plan.ts';
import { type Item, no_assignee } from '../item.ts';
import { readItem } from './read-items.ts';

/** The most characters (code points) of an assignee. */
export const assignee_length_max = 100;

/**
 * Assigns an item to somebody, by any name that the caller uses, or to nobody (null). Writes the
 * audit log if that makes a difference. The version of the item stays: it has the same content.
 * Refuses `not_found`, and `validation_failed` what is no name.
 */
export async function assignItem(
  tx: Pick<ActTx, 'reconciliation' | 'audit'>,
  call: Call,
  item_id: number,
  request: object,
): Promise<Item> {
  const fields = new RequestFields(request);
  const expected = `text of 1 to ${assignee_length_max} printable characters, other than ${no_assignee}, or null`;
  if (!fields.carries('assignee')) fields.addProblem('assignee', `is required: ${expected}`);
  const isAssignee = (text: string) => isName(text, assignee_length_max) && text.trim() !== no_assignee;
  const text = fields.readText('assignee', isAssignee, expected);
  fields.refuseInvalid();
  const assignee = text === null ? null : maskCardNumbers(text.trim());
  await tx.reconciliation.lockCompany(call.company_id);
  const { item } = await readItem(tx, call, item_id);
  if (item.assignee === assignee) return item;
  await tx.reconciliation.assign(call.company_id, item.id, assignee);
  const details = { before: item.assignee, after: assignee };
  const entry = auditEntry(call, 'reconciliation.assigned', `reconciliation_item:${item.id}`, details);
  await tx.audit.record(entry, call.now_ms);
  return { ...item, assignee };
}
