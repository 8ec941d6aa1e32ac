import {
  auditEntry,
  type Call,
  isBlank,
  isStorable,
  isWithin,
  maskCardNumbers,
  RequestFields,
} from '@tallystick/kernel';
import type { ActTx } from '../acts/act-plan.ts';
import { type Comment, comment_length_max } from '../comment.ts';
import { recordsOf } from '../item-id.ts';
import { readItem } from './read-items.ts';

/**
 * Writes a comment on an item, and an audit entry. Card numbers in it are masked. Refuses
 * `not_found`, and `validation_failed` a text that is blank, too long or not printable.
 */
export async function commentOnItem(
  tx: Pick<ActTx, 'reconciliation' | 'audit'>,
  call: Call,
  item_id: number,
  request: object,
): Promise<Comment> {
  const fields = new RequestFields(request);
  const expected = `text of 1 to ${comment_length_max} printable characters and line ends, at least one of them visible`;
  fields.require('text', expected);
  const text = fields.readText('text', isComment, expected);
  fields.refuseInvalid();
  const { item } = await readItem(tx, call, item_id);
  const { company_id, actor, now_ms } = call;
  const said = { company_id, at_ms: now_ms, actor, item_id: item.id, text: maskCardNumbers(text!.trim()) };
  const comment = await tx.reconciliation.insertComment(said);
  const details = { comment_id: comment.id, text: comment.text };
  await tx.audit.record(
    auditEntry(call, 'reconciliation.commented', `reconciliation_item:${item.id}`, details),
    now_ms,
  );
  return comment;
}

function isComment(text: string): boolean {
  const is_printable = isStorable(text) && !/\p{Cc}/u.test(text.replaceAll(/[\r\n\t]/g, ''));
  return is_printable && isWithin(text, comment_length_max) && !isBlank(text);
}

/** The comments on an item and on those that were merged into it, the oldest first. */
export function commentsOf(
  { reconciliation }: Pick<ActTx, 'reconciliation'>,
  item: Parameters<typeof recordsOf>[0] & { readonly company_id: number },
): Promise<readonly Comment[]> {
  return reconciliation.commentsOn(item.company_id, recordsOf(item));
}
