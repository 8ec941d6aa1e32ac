import type { ClockMove } from '@tallystick/kernel';
import { resource } from '../answer.ts';
import { type Route, route } from '../route.ts';
import { clock, move_clock } from './operator-shapes.ts';

/** The sandbox's clock, as an operator may move it. */
export interface SandboxClock {
  /** Moves the clock; what became due is done when it resolves, but for what is `waiting`. Refuses as `moveSandboxClock` does. */
  move(move: ClockMove): Promise<{ readonly now: string; readonly frozen: boolean; readonly waiting?: string }>;
}

/** `/sandbox/v1`: there in the sandbox only. */
export function sandboxRoutes(sandbox_clock: SandboxClock): readonly Route[] {
  return [
    route({
      area: 'sandbox_clock',
      tag: 'Sandbox',
      method: 'POST',
      path: '/sandbox/v1/clock',
      summary: 'Move the clock forward',
      description:
        'By a duration, or to an instant; what became due by it is done before the answer, which says what is waiting if not all is.',
      body: move_clock,
      answer: clock,
      async perform({ body }) {
        const { advance, set, frozen } = body.data;
        const move = { advance: advance ?? undefined, set: set ?? undefined, frozen: frozen ?? undefined };
        return resource(await sandbox_clock.move(move));
      },
    }),
  ];
}
