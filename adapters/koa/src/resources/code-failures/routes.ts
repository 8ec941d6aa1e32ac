import { code_failures_max, resetCodeFailures } from '@tallystick/cards';
import { id_number, id_text, last4, type ShapeOf } from '@tallystick/operations';
import * as z from 'zod';
import { resource } from '../../answer/answer.ts';
import { type Route, route } from '../../request/route.ts';
import { callOf } from '../operator/routes.ts';
import { presentCodeFailures } from './presenter.ts';

export const code_failures = z
  .object({
    id: id_text.describe('The virtual card'),
    company_id: id_number,
    last4,
    code_failures: z.int().min(0).max(code_failures_max).describe('Wrong codes that count on this UTC day'),
    type: z.literal('code_failures'),
  } satisfies ShapeOf<ReturnType<typeof presentCodeFailures>>)
  .meta({ id: 'CodeFailures', description: 'The wrong codes of a card' });

/** `/operator/v1/virtualcards/:id/code-failures` (decision: codes cannot be guessed). */
export function codeFailureRoutes(): readonly Route[] {
  return [
    route({
      area: 'administration',
      tag: 'Operator',
      method: 'POST',
      path: '/operator/v1/virtualcards/:id/code-failures/reset',
      operation_id: 'operator.virtualCards.codeFailures.reset',
      summary: 'Forget the wrong codes of a card',
      description: `After ${code_failures_max} wrong codes in a UTC day, every code of the card counts as wrong until the day is over. This ends it early, and writes the audit log and the event virtualcard.updated. For a card without wrong codes today nothing is recorded.`,
      answer: code_failures,
      async transaction(tx, request) {
        const { card } = await resetCodeFailures(tx, callOf(request), request.id);
        return resource(presentCodeFailures(card));
      },
    }),
  ];
}
