import type { Event } from '@tallystick/events';
import type { State } from '@tallystick/memory';
import type { Invariant, Step } from './invariant.ts';

/** The object of an event: `virtualcard.created 17`. */
function nameOf({ event_type, payload }: Event): string {
  return `${event_type} ${String(payload.id)}`;
}

/** The events that what changed in the step must have. */
function* dueEvents(step: Step): Iterable<string> {
  for (const { key, before, after } of step.changes('cards')) {
    if (before === undefined && after !== undefined) yield `virtualcard.created ${key}`;
    if (before?.status === 'Approved' && after?.status === 'Canceled') yield `virtualcard.deleted ${key}`;
  }
  for (const { key, before, after } of step.changes('authorizations')) {
    if (before === undefined && after !== undefined) yield `virtualcard.realtime.auths ${key}`;
  }
  for (const { key, before, after } of step.changes('clearings')) {
    if (before === undefined && after !== undefined) yield `virtualcard.clearings ${key}`;
  }
  for (const { key, before, after } of step.changes('templates')) {
    if (before?.status === 'PENDING' && after?.status === 'ACTIVE') yield `virtualcard.purchasetemplate.created ${key}`;
  }
}

const of_one_change = new Set([
  'virtualcard.created',
  'virtualcard.deleted',
  'virtualcard.realtime.auths',
  'virtualcard.clearings',
  'virtualcard.purchasetemplate.created',
]);

export const every_change_has_its_event: Invariant = {
  name: 'every change has its event',
  says: 'an event commits with the change that it describes, and none without',
  begin: () => ({
    *step(step) {
      const written = step
        .changes('events')
        .flatMap(({ before, after }) => (before === undefined && after ? [after] : []));
      const names = written.filter(({ event_type }) => of_one_change.has(event_type)).map(nameOf);
      const due = new Set(dueEvents(step));
      for (const name of due) if (!names.includes(name)) yield `${name} has no event`;
      for (const name of names) if (!due.has(name)) yield `the event ${name} describes no change`;
      if (new Set(names).size !== names.length) yield `one change has several events: ${names.join(', ')}`;
    },
  }),
};

const of_card = /^virtualcard\.(created|updated|deleted)$/;

/** The events that are numbered in the order of their commits with this one. */
export function laneOf({ id, company_id, event_type, payload }: Event, { ids_follow_commits }: Step): string {
  if (ids_follow_commits) return `company ${company_id}`;
  const card_id = of_card.test(event_type) ? payload.id : payload.vcn_id;
  return event_type.startsWith('virtualcard.') && card_id !== undefined ? `card ${String(card_id)}` : `itself, ${id}`;
}

export const events_are_in_order: Invariant = {
  name: 'events are in order',
  says: 'the events of a company are numbered in the order of their commits, and never change',
  begin() {
    const last = new Map<string, number>();
    return {
      *step(step) {
        const before_step = new Map(last);
        for (const { key, before, after } of step.changes('events')) {
          if (after === undefined) continue;
          if (before !== undefined) yield `event ${key} changed`;
          const lane = laneOf(after, step);
          const previous = before_step.get(lane) ?? 0;
          if (key <= previous) yield `event ${key} of ${lane} committed after event ${previous}`;
          last.set(lane, Math.max(key, last.get(lane) ?? 0));
        }
      },
    };
  },
};

const stored_names: Readonly<Record<number, string>> = {
  2: 'virtualcard.created',
  3: 'virtualcard.deleted',
  4: 'onboarding.company.status',
  5: 'ach.status',
  6: 'virtualcard.realtime.auths',
  7: 'virtualcard.clearings',
  10: 'virtualcard.realtime.auths',
  11: 'virtualcard.purchasetemplate.created',
  13: 'ach.status.advice',
};

function isSubscribed(ids: readonly number[], event_type: string): boolean {
  return ids.some((id) => id === 1 || stored_names[id] === event_type);
}

/** The active webhooks of a company that an event of a type is for. */
function subscribersOf({ webhooks }: State, company_id: number, event_type: string): readonly number[] {
  return webhooks
    .values()
    .filter((one) => one.company_id === company_id && one.status === 'active')
    .filter(({ event_type_ids }) => isSubscribed(event_type_ids, event_type))
    .map(({ id }) => id);
}

export const every_event_is_delivered: Invariant = {
  name: 'every event is delivered',
  says: 'each committed event gets one delivery for each webhook that was active and subscribed, and nobody else',
  begin() {
    const waiting = new Map<number, readonly number[]>();
    const delivered = new Set<string>();
    return {
      *step(step) {
        for (const { key, before, after } of step.changes('events')) {
          if (before !== undefined || after === undefined) continue;
          waiting.set(key, subscribersOf(step.before, after.company_id, after.event_type));
        }
        const made = new Map<number, number[]>();
        for (const { key, before, after } of step.changes('deliveries')) {
          if (before !== undefined || after === undefined) continue;
          const { event_id, webhook_id } = after;
          const name = `${webhook_id} ${event_id}`;
          if (delivered.has(name)) yield `webhook ${webhook_id} has a second delivery of event ${event_id}`;
          delivered.add(name);
          made.set(event_id, [...(made.get(event_id) ?? []), webhook_id]);
          if (!waiting.has(event_id)) yield `delivery ${key} is of event ${event_id}, which was relayed before`;
        }
        for (const [event_id, webhook_ids] of made) {
          const event = step.state.events.get(event_id);
          if (event === undefined) {
            yield `event ${event_id} has deliveries, and is not committed`;
            continue;
          }
          const allowed = [step.before, step.state].flatMap((state) =>
            subscribersOf(state, event.company_id, event.event_type),
          );
          for (const id of webhook_ids) {
            if (!allowed.includes(id))
              yield `webhook ${id} gets event ${event_id}, for which it is not active and subscribed`;
          }
        }
        for (const event_id of waiting.keys()) {
          if (step.state.outbox.has(event_id)) continue;
          const { company_id, event_type } = step.state.events.get(event_id) ?? {};
          const right = waiting.get(event_id)!;
          waiting.delete(event_id);
          if (company_id === undefined || event_type === undefined) continue;
          const still = subscribersOf(step.before, company_id, event_type);
          for (const id of right) {
            if (still.includes(id) && !(made.get(event_id) ?? []).includes(id)) {
              yield `event ${event_id} left the outbox without a delivery to webhook ${id}`;
            }
          }
        }
      },
      *end({ state }) {
        for (const id of state.outbox.keys()) yield `event ${id} was never relayed`;
      },
    };
  },
};
