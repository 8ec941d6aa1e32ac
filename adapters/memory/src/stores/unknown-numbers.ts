import type { UnknownNumberStore } from '@tallystick/cards';
import type { State } from '../storage/state.ts';

/** Messages for unknown card numbers. */
export function unknownNumberStore({ unknown_numbers }: State): UnknownNumberStore {
  return {
    async purge(before_ms, limit) {
      const old = unknown_numbers.entries().filter(([, { recorded_at_ms }]) => recorded_at_ms < before_ms);
      const purged = old.slice(0, limit);
      for (const [key] of purged) unknown_numbers.delete(key);
      return purged.length;
    },
  };
}
