import { type SandboxClockStore, untouched_clock } from '@tallystick/kernel';
import type { State } from '../../storage/state.ts';

/** The key of the only row. */
const the_clock = 1;

export function sandboxClockStore({ sandbox_clock }: State): SandboxClockStore {
  return {
    async read() {
      return sandbox_clock.get(the_clock) ?? untouched_clock;
    },
    async write(state) {
      sandbox_clock.set(the_clock, state);
    },
  };
}
