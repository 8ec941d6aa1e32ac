import { data_of_domain } from '@tallystick/operations';
import { type ActKind, type ActPorts, actOnItem, dateOf } from '@tallystick/reconciliation';
import type * as z from 'zod';
import { resource } from '../../answer/answer.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { items_path, presentItem } from './presenter.ts';
import { item, match_act, plain_act, unmatch_act } from './shapes.ts';

/** An action on an item, as the document shows it. */
interface DocumentedAct {
  readonly action: ActKind;
  readonly summary: string;
  readonly description: string;
  readonly body: z.ZodObject;
}

const acts: readonly DocumentedAct[] = [
  {
    action: 'match',
    summary: 'Match an item by hand with records of another side',
    description:
      'The effects on the card move as a rule would move them. No rule undoes the match. Undone by `unmatch`.',
    body: match_act,
  },
  {
    action: 'unmatch',
    summary: 'Undo a match of an item',
    description:
      'The effects on the card move back, and no rule makes the match again. Undone by `match` with the same records.',
    body: unmatch_act,
  },
  {
    action: 'ignore',
    summary: 'Take an item out of every total',
    description: 'As long as its records and amounts are those that you saw. Undone by `reopen`.',
    body: plain_act,
  },
  {
    action: 'accept',
    summary: 'Accept the difference of a break',
    description: 'As long as its records and amounts are those that you saw. Undone by `reopen`.',
    body: plain_act,
  },
  {
    action: 'confirm',
    summary: 'Confirm a proposal',
    description:
      'Its matches are then made by a person, and no rule undoes them. A refund, reversal or dispute under review that belongs to nothing stands alone. Undone by `reopen`.',
    body: plain_act,
  },
  {
    action: 'reopen',
    summary: 'Undo an ignore, accept or confirm',
    description: 'The item is again what its records say.',
    body: plain_act,
  },
];

/** `POST /v1/reconciliation/items/:id/<action>` (decision: reconciliation, actions). */
export function actRoutes(ports: ActPorts): readonly Route[] {
  return acts.map(({ action, summary, description, body }) =>
    route({
      area: 'reconciliation',
      tag: 'Reconciliation',
      method: 'POST',
      path: `${items_path}/:id/${action}`,
      operation_id: `reconciliation.items.${action}`,
      summary,
      description: `${description} Refused with 409 when the state of the item does not allow it, or when it has changed: the error says what happened. The id of an item that was merged into another one is refused with 409 unless the version of that one is sent.`,
      body: data_of_domain,
      documented_body: body,
      refusals: ['conflict'],
      answer: item,
      async perform(request) {
        const found = await actOnItem(ports, clientCall(request), request.id, action, request.body.data);
        return resource(presentItem(found, dateOf(request.now_ms)));
      },
    }),
  );
}
