import { resource } from '../../answer/answer.ts';
import { type Route, route } from '../../request/route.ts';
import { clock, move_clock } from '../operator/shapes.ts';
import type { Sandbox } from './sandbox.ts';

/** `/sandbox/v1/clock`. Only in the sandbox. */
export function sandboxRoutes(sandbox: Sandbox): readonly Route[] {
  return [
    route({
      area: 'sandbox_clock',
      tag: 'Sandbox',
      method: 'POST',
      path: '/sandbox/v1/clock',
      operation_id: 'sandbox.clock.move',
      summary: 'Move the clock forward, freeze it or release it',
      description:
        'By a duration, or to an instant. A frozen clock stays frozen until `frozen` is false. Work that becomes due is done before the answer; `waiting` says what is not done yet.',
      body: move_clock,
      answer: clock,
      async perform({ body }) {
        return resource(await sandbox.moveClock(body.data));
      },
    }),
  ];
}
