import { defineEntity, p } from '@mikro-orm/core';
import type { CompanyStatus, Environment, HoldDays, PersonStatus, Role } from '@tallystick/access';
import { id, int, json } from './columns.ts';

export const Company = defineEntity({
  name: 'Company',
  tableName: 'tallystick_companies',
  properties: {
    id: id(),
    name: p.text(),
    customer_number: p.text(),
    created_at_ms: int(),
    full_details_in_mail: p.boolean().default(false),
    /** 0: its holds never end. */
    hold_days: int().nullable(),
    status: p.text().$type<CompanyStatus>().default('active'),
    rate_limit_per_minute: int().nullable(),
    /** JSON. */
    four_eyes: json().nullable(),
    endpoint_version: int().default(0),
  },
  uniques: [{ name: 'tallystick_companies_customer_number', properties: ['customer_number'] }],
});

export const company = () =>
  p.manyToOne(Company).mapToPk().fieldName('company_id').index(false).deleteRule('no action');

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'tallystick_api_keys',
  properties: {
    id: id(),
    company_id: () => company().nullable(),
    role: p.text().$type<Role>(),
    environment: p.text().$type<Environment>(),
    name: p.text(),
    secret_sha256: p.uint8array(),
    signing_secret_sealed: p.uint8array().nullable(),
    rate_limit_per_minute: int().nullable(),
    created_at_ms: int(),
    revoked_at_ms: int().nullable(),
    expires_at_ms: int().nullable(),
    last_used_at_ms: int().nullable(),
  },
  indexes: [{ name: 'tallystick_api_keys_page', properties: ['company_id', 'id'] }],
});

/** People who may use the console, with their grants as JSON. */
export const Person = defineEntity({
  name: 'Person',
  tableName: 'tallystick_people',
  properties: {
    id: id(),
    handle: p.text(),
    name: p.text(),
    issuer: p.text().nullable(),
    subject: p.text().nullable(),
    password_hash: p.text().nullable(),
    totp_secret_sealed: p.uint8array().nullable(),
    totp_last_step: int().nullable(),
    status: p.text().$type<PersonStatus>(),
    grants: json(),
    created_at_ms: int(),
  },
  uniques: [
    { name: 'tallystick_people_handle', properties: ['handle'] },
    { name: 'tallystick_people_subject', properties: ['issuer', 'subject'] },
  ],
});

/** Sessions of the console. Ended ones are deleted. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'tallystick_console_sessions',
  properties: {
    id: id(),
    token_sha256: p.uint8array(),
    person_id: () =>
      p.manyToOne(Person).mapToPk().nullable().fieldName('person_id').index(false).deleteRule('no action'),
    portal_link_id: int().nullable(),
    source_address: p.text().nullable(),
    created_machine_ms: int(),
    seen_machine_ms: int(),
    ends_machine_ms: int(),
  },
  indexes: [{ name: 'tallystick_console_sessions_of_person', properties: ['person_id', 'id'] }],
  uniques: [{ name: 'tallystick_console_sessions_token', properties: ['token_sha256'] }],
});

export const PortalLink = defineEntity({
  name: 'PortalLink',
  tableName: 'tallystick_portal_links',
  properties: {
    id: id(),
    company_id: () => company(),
    read_only: p.boolean(),
    token_sha256: p.uint8array(),
    created_at_ms: int(),
    expires_at_ms: int(),
    used_at_ms: int().nullable(),
  },
  indexes: [{ name: 'tallystick_portal_links_age', properties: ['expires_at_ms'] }],
  uniques: [{ name: 'tallystick_portal_links_token', properties: ['token_sha256'] }],
});

export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'tallystick_idempotency_records',
  properties: {
    scope: p.text().primary(),
    key: p.text().primary(),
    token: p.text(),
    request_sha256: p.uint8array(),
    claimed_at_ms: int(),
    lease_until_machine_ms: int(),
    answer_sealed: p.uint8array().nullable(),
  },
  indexes: [{ name: 'tallystick_idempotency_records_age', properties: ['claimed_at_ms'] }],
});

/**
 * The value of `companies.hold_days` when the holds of a company never end. No hold ends after 0
 * days.
 */
export const no_end = 0;

/** The domain's form of `companies.hold_days`. */
export function holdDaysOf(column: number | null): HoldDays | null {
  return column === no_end ? 'never' : column;
}
