import { defineEntity, p } from '@mikro-orm/core';
import type { AuthorisationRecord as StoredRecord } from '@tallystick/consents';

const int = () => p.bigint('number');

/**
 * The records of the authorisation server: tokens, codes, grants, interactions. The conventions are
 * those of `schema.ts`.
 */
export const AuthorisationRecord = defineEntity({
  name: 'AuthorisationRecord',
  tableName: 'tallystick_authorisation_records',
  properties: {
    id: int().primary().autoincrement(),
    model: p.text(),
    id_hash: p.text(),
    payload_sealed: p.uint8array(),
    client_id: p.text().nullable(),
    consent_id: p.text().nullable(),
    user_id: p.text().nullable(),
    grant_id: p.text().nullable(),
    expires_at_ms: int().nullable(),
    ends_by: p.text().$type<StoredRecord['ends_by']>(),
    consumed_at_ms: int().nullable(),
  },
  indexes: [
    { name: 'tallystick_authorisation_records_client', properties: ['client_id'], where: 'client_id is not null' },
    { name: 'tallystick_authorisation_records_consent', properties: ['consent_id'], where: 'consent_id is not null' },
    { name: 'tallystick_authorisation_records_grant', properties: ['grant_id'], where: 'grant_id is not null' },
    { name: 'tallystick_authorisation_records_age', properties: ['expires_at_ms'], where: 'expires_at_ms is not null' },
  ],
  uniques: [{ name: 'tallystick_authorisation_records_key', properties: ['model', 'id_hash'] }],
});
