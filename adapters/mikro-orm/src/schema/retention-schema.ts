import { defineEntity, p } from '@mikro-orm/core';
import type { RetentionKind } from '@tallystick/kernel';

/** How far the rows of a kind were examined for their retention time, and who is at work on it. */
export const Retention = defineEntity({
  name: 'Retention',
  tableName: 'tallystick_retention',
  properties: {
    kind: p.text().$type<RetentionKind>().primary(),
    after_id: p.bigint('number'),
    left_id: p.bigint('number').nullable(),
    began_at_ms: p.bigint('number'),
    lease: p.text().nullable(),
    lease_until_machine_ms: p.bigint('number').nullable(),
  },
});
