import type { Event } from '@tallystick/events';
import type { Invariant } from './invariant.ts';

/** The effect of a handler of the host: an event that names the subscription and the event that it handled. */
function effectOf({ event_type, payload }: Event): { readonly name: string; readonly event_id: number } | null {
  if (event_type !== 'ach.status.advice' || typeof payload.subscription !== 'string') return null;
  return { name: payload.subscription, event_id: Number(payload.event_id) };
}

export const subscriptions_have_one_effect: Invariant = {
  name: 'subscriptions have one effect',
  says: 'each subscription handles each event of its types exactly once, in order, together with its position',
  begin() {
    /** The ids that a subscription has not handled, in order. */
    const waiting = new Map<string, number[]>();
    return {
      *step(step) {
        const written = step
          .changes('events')
          .flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : []))
          .toSorted((a, b) => a.id - b.id);
        for (const { name, event_types } of step.state.subscriptions.values()) {
          const from = waiting.has(name) ? written : step.state.events.values().toSorted((a, b) => a.id - b.id);
          const ids = from.filter(({ event_type }) => event_types?.includes(event_type) ?? true).map(({ id }) => id);
          waiting.set(
            name,
            [...(waiting.get(name) ?? []), ...ids].toSorted((a, b) => a - b),
          );
        }
        for (const event of written) {
          const effect = effectOf(event);
          if (effect === null) continue;
          const { name, event_id } = effect;
          const ids = waiting.get(name) ?? [];
          const at = ids.indexOf(event_id);
          if (at < 0)
            yield `subscription ${name} handled event ${event_id}, which it had handled or which is not its own`;
          else if (at > 0) yield `subscription ${name} handled event ${event_id} before event ${ids[0]}`;
          if (at >= 0) ids.splice(at, 1);
        }
        for (const { name, after_id } of step.state.subscriptions.values()) {
          const [first] = waiting.get(name) ?? [];
          if (first !== undefined && first <= after_id)
            yield `subscription ${name} is at event ${after_id}, and event ${first} has no effect`;
        }
      },
      *end() {
        for (const [name, ids] of waiting) for (const id of ids) yield `subscription ${name} never handled event ${id}`;
      },
    };
  },
};
