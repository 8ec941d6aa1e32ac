import { defineEntity, p } from '@mikro-orm/core';

/**
 * The keys by which the authorizations of a card are found (`authorization-keys.ts`): one tree in
 * place of an index for each, so that the entries of a card lie side by side.
 */
export const AuthorizationKey = defineEntity({
  name: 'AuthorizationKey',
  tableName: 'tallystick_authorization_keys',
  properties: {
    card_id: p.bigint('number').primary(),
    key: p.text().primary(),
    authorization_id: p.bigint('number'),
  },
});
