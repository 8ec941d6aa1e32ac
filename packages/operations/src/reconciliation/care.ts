import { assignItem, commentOnItem, dateOf, nameItems } from '@tallystick/reconciliation';
import { data_of_domain } from '../fields.ts';
import { companyCall, type Operation, operation } from '../operation.ts';
import { act, assign_item, comment_on_item } from './act-shapes.ts';
import { presentComment, presentItem } from './presenter.ts';
import { item } from './shapes.ts';

/** Who takes care of an item, and what people say about it. Neither changes the item. */
export function careOperations(): readonly Operation[] {
  return [
    operation('reconciliation', {
      id: 'reconciliation.items.comment',
      summary: 'Comment on an item',
      description: 'The history of the item shows it. It is no act: the item and its version stay.',
      parameters: ['id'],
      body: data_of_domain,
      documented_body: comment_on_item,
      answer: act,
      async write(tx, call) {
        return presentComment(await commentOnItem(tx, companyCall(call), call.id, call.body.data));
      },
    }),
    operation('reconciliation', {
      id: 'reconciliation.items.assign',
      summary: 'Assign an item to somebody, or to nobody',
      description: 'When items merge, the one that stays keeps its assignee. The version stays.',
      parameters: ['id'],
      body: data_of_domain,
      documented_body: assign_item,
      answer: item,
      async write(tx, call) {
        const found = await assignItem(tx, companyCall(call), call.id, call.body.data);
        const names = await nameItems(tx, found.company_id, [found]);
        return presentItem(found, names.get(found.id)!, dateOf(call.now_ms));
      },
    }),
  ];
}
