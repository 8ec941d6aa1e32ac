import { defineEntity, p } from '@mikro-orm/core';

/** A named position in the event log, and the process that works from it. */
export const Subscription = defineEntity({
  name: 'Subscription',
  tableName: 'tallystick_subscriptions',
  properties: {
    name: p.text().primary(),
    /** Stored names as JSON; null: every type. */
    event_types: p.text().nullable(),
    company_id: p.bigint('number').nullable(),
    after_id: p.bigint('number'),
    created_at_ms: p.bigint('number'),
    lease: p.text().nullable(),
    lease_until_machine_ms: p.bigint('number').nullable(),
  },
});
