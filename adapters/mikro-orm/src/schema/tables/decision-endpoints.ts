import { defineEntity, p } from '@mikro-orm/core';
import type { EndpointStatus } from '@tallystick/cards';
import { givenId, int, json } from './columns.ts';

/** By company: each has at most one. */
export const DecisionEndpoint = defineEntity({
  name: 'DecisionEndpoint',
  tableName: 'tallystick_decision_endpoints',
  properties: {
    company_id: givenId(),
    url: p.text(),
    timeout_ms: int(),
    stand_in: json(),
    status: p.text().$type<EndpointStatus>(),
    secret_sealed: p.uint8array(),
    previous_secret_sealed: p.uint8array().nullable(),
    previous_secret_until_ms: int().nullable(),
    created_at_ms: int(),
  },
});
