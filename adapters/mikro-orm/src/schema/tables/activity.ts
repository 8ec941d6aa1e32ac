import { defineEntity, p } from '@mikro-orm/core';
import type { CountedOutcome } from '@tallystick/cards';
import { int } from './columns.ts';

/** The answers to requests in each hour, counted. Company 0: of all companies together. */
export const Activity = defineEntity({
  name: 'Activity',
  tableName: 'tallystick_activity',
  properties: {
    company_id: p.bigint('number').primary(),
    at_ms: p.bigint('number').primary(),
    outcome: p.text().primary().$type<CountedOutcome>(),
    count: int(),
  },
  indexes: [{ name: 'tallystick_activity_age', properties: ['at_ms'] }],
});
