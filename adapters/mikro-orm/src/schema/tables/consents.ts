import { defineEntity, p } from '@mikro-orm/core';
import type {
  Consent as ConsentRecord,
  ConsentStatus,
  AuthorisationRecord as StoredRecord,
  ThirdParty as ThirdPartyRecord,
} from '@tallystick/consents';
import { id, int, json } from './columns.ts';

/**
 * Consents of Open Banking. The last columns belong to one
 * kind of consent, and are null for the other.
 */
export const Consent = defineEntity({
  name: 'Consent',
  tableName: 'tallystick_consents',
  properties: {
    id: id(),
    consent_id: p.text(),
    client_id: p.text(),
    kind: p.text().$type<ConsentRecord['kind']>(),
    status: p.text().$type<ConsentStatus>(),
    created_at_ms: int(),
    status_updated_at_ms: int(),
    expiration_date_time: p.text().nullable(),
    expires_at_ms: int().nullable(),
    user_id: p.text().nullable(),
    company_id: int().nullable(),
    account_numbers: json(),
    authorised_at_ms: int().nullable(),
    withdrawn_at_ms: int().nullable(),
    stopped_at_ms: int().nullable(),
    tokens_revoked_at_ms: int().nullable(),
    tokens_end_at_ms: int().nullable(),
    decided_ahead: p.boolean(),
    deleted_at_ms: int().nullable(),
    permissions: json().nullable(),
    transaction_from_date_time: p.text().nullable(),
    transaction_to_date_time: p.text().nullable(),
    debtor_account: json().nullable(),
  },
  indexes: [
    { name: 'tallystick_consents_of_user', properties: ['user_id', 'id'], where: 'user_id is not null' },
    { name: 'tallystick_consents_of_client', properties: ['client_id'], where: "status = 'Authorised'" },
    { name: 'tallystick_consents_never_authorised', properties: ['created_at_ms'], where: 'authorised_at_ms is null' },
  ],
  uniques: [{ name: 'tallystick_consents_consent_id', properties: ['consent_id'] }],
});

/** Third parties: the clients of the authorisation server. */
export const ThirdParty = defineEntity({
  name: 'ThirdParty',
  tableName: 'tallystick_third_parties',
  properties: {
    id: id(),
    client_id: p.text(),
    name: p.text(),
    scopes: json(),
    redirect_uris: json(),
    jwks: json().nullable(),
    jwks_uri: p.text().nullable(),
    certificate_subject: p.text().nullable(),
    id_token_signed_response_alg: p.text().$type<ThirdPartyRecord['id_token_signed_response_alg']>(),
    is_sandbox: p.boolean(),
    status: p.text().$type<ThirdPartyRecord['status']>(),
    created_at_ms: int(),
  },
  uniques: [{ name: 'tallystick_third_parties_client_id', properties: ['client_id'] }],
});

/**
 * The records of the authorisation server: tokens, codes, grants, interactions.
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
