import {
  lag_events_max,
  matchesSubscription,
  type Subscription,
  type SubscriptionStore,
  subscription_window,
} from '@tallystick/events';
import { type Selectable, sql } from 'kysely';
import { lockOrSkip, parseOrNull, type Session, type Tables, toJsonOrNull } from '../../connection/session.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';
import { event_fields, eventOf } from './read-event.ts';

const move_columns = {
  name: 'text',
  token: 'text',
  until_machine_ms: 'integer',
  from_id: 'integer',
  to_id: 'integer',
} as const;

/** Positions of subscriptions, and the events after them. */
export function subscriptionStore(session: Session): SubscriptionStore {
  const { db, dialect } = session;

  const subscription = () =>
    db
      .selectFrom('tallystick_subscriptions')
      .select(['name', 'event_types', 'company_id', 'after_id', 'created_at_ms', 'lease_until_machine_ms']);

  /** The next events of the log, without their payload. */
  function window(after_id: number, until_id: number, limit: number) {
    return db
      .selectFrom('tallystick_events')
      .select(['id', 'company_id', 'event_type', 'created_at_ms'])
      .where('id', '>', after_id)
      .where('id', '<=', until_id)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  return {
    async insert({ event_types, ...fields }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('tallystick_subscriptions')
        .values({ ...fields, event_types: toJsonOrNull(event_types), lease: null, lease_until_machine_ms: null })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    async find(name) {
      const row = await subscription().where('name', '=', name).executeTakeFirst();
      return row === undefined ? null : subscriptionOf(row);
    },

    async list() {
      return (await subscription().orderBy('name').execute()).map(subscriptionOf);
    },

    async delete(name) {
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_subscriptions')
        .where('name', '=', name)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },

    async claim(name, { event_types, company_id }, { token, machine_ms, until_machine_ms }) {
      const free = db
        .selectFrom('tallystick_subscriptions')
        .select(['name', 'after_id'])
        .where('name', '=', name)
        .where((eb) =>
          eb.or([eb('lease', 'is', null), eb('lease', '=', token), eb('lease_until_machine_ms', '<=', machine_ms)]),
        );
      const row = await lockOrSkip(session, free).executeTakeFirst();
      if (row === undefined) return null;
      await db
        .updateTable('tallystick_subscriptions')
        .set({
          event_types: toJsonOrNull(event_types),
          company_id,
          lease: token,
          lease_until_machine_ms: until_machine_ms,
        })
        .where('name', '=', name)
        .execute();
      return row.after_id;
    },

    async advance(name, { token, until_machine_ms }, { from_id, to_id }) {
      const { numUpdatedRows } = await db
        .updateTable('tallystick_subscriptions')
        .set({ after_id: to_id, lease_until_machine_ms: until_machine_ms })
        .where('name', '=', name)
        .where('lease', '=', token)
        .where('after_id', '=', from_id)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async advanceAll(moves) {
      const rows = moves.map(({ name, lease, from_id, to_id }) => {
        return { name, token: lease.token, until_machine_ms: lease.until_machine_ms, from_id, to_id };
      });
      const given = jsonRows(dialect, move_columns, rows);
      // In the order of the names, and without those that handlers hold.
      const lock = dialect === 'postgres' ? sql`order by s.name for update of s skip locked` : sql``;
      const { rows: moved } = await sql<{ readonly name: string }>`
        with owned as (
          select s.name, m.to_id, m.until_machine_ms from ${given} m
          join tallystick_subscriptions s on s.name = m.name and s.lease = m.token and s.after_id = m.from_id ${lock}
        )
        update tallystick_subscriptions
        set after_id = owned.to_id, lease_until_machine_ms = owned.until_machine_ms
        from owned where tallystick_subscriptions.name = owned.name
        returning tallystick_subscriptions.name as name`.execute(db);
      return new Set(moved.map(({ name }) => name));
    },

    async release(name, token) {
      await db
        .updateTable('tallystick_subscriptions')
        .set({ lease: null, lease_until_machine_ms: null })
        .where('name', '=', name)
        .where('lease', '=', token)
        .execute();
    },

    async read(filter, after_id, until_id, limit) {
      const examined = await window(after_id, until_id, subscription_window);
      const matching = examined.filter((event) => matchesSubscription(filter, event)).slice(0, limit);
      const ended = examined.length < subscription_window ? Math.max(after_id, until_id) : examined.at(-1)!.id;
      if (matching.length === 0) return { events: [], passed_id: ended };
      const rows = await db
        .selectFrom('tallystick_events')
        .select(event_fields)
        .where(
          isOneOf(
            dialect,
            'id',
            matching.map(({ id }) => id),
          ),
        )
        .orderBy('id')
        .execute();
      return { events: rows.map(eventOf), passed_id: matching.length < limit ? ended : matching.at(-1)!.id };
    },

    async lag(position) {
      const examined = await window(position.after_id, Number.MAX_SAFE_INTEGER, lag_events_max);
      const matching = examined.filter((event) => matchesSubscription(position, event));
      const last = examined.length < lag_events_max ? undefined : examined.at(-1);
      return { waiting: matching.length, oldest_at_ms: (matching[0] ?? last)?.created_at_ms ?? null };
    },
  };
}

function subscriptionOf({
  event_types,
  ...fields
}: Omit<Selectable<Tables['tallystick_subscriptions']>, 'lease'>): Subscription {
  return { ...fields, event_types: parseOrNull<readonly string[]>(event_types) };
}
