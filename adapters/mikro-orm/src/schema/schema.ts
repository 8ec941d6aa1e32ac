import { defineEntity, p } from '@mikro-orm/core';
import type { CompanyStatus, Environment, Role } from '@tallystick/access';
import type {
  AuthorizationStatus,
  CardStatus,
  ClearingClass,
  ClearingCycle,
  ClearingType,
  DeclineCode,
  MessageType,
} from '@tallystick/cards';
import type { FilterName } from '@tallystick/events';
import type { Money } from '@tallystick/kernel';
import type { StatementKeySetting } from '@tallystick/reconciliation';
import type { MccRule, RequiredControl, PurchaseTemplate as Template, TemplateStatus } from '@tallystick/templates';
import type { Recurring } from '@tallystick/velocity';
import { Account, Statement, StatementLine } from './account-schema.ts';
import { AuditChain, AuditEntry } from './audit-schema.ts';
import { AuthorisationRecord } from './authorisation-schema.ts';
import { AuthorizationKey } from './authorization-key-schema.ts';
import {
  AccountBalance,
  AccountProfile,
  BankCompany,
  BankUser,
  DirectDebit,
  ScheduledPayment,
  ShownTransaction,
  StandingOrder,
} from './bank-schema.ts';
import { networkReferenceSql } from './candidate-sql.ts';
import { Consent, ThirdParty } from './consent-schema.ts';
import { EventFilterBlock, EventIndexState } from './event-index-schema.ts';
import { Import, ImportBatch } from './import-schema.ts';
import { Mail, MailboxMessage, OneTimeLink } from './mail-schema.ts';
import { Quarantined } from './quarantine-schema.ts';
import {
  ReconciliationAct,
  ReconciliationActRecord,
  ReconciliationCell,
  ReconciliationCompany,
  ReconciliationEntry,
  ReconciliationItem,
  ReconciliationMatchCell,
  ReconciliationPeriod,
} from './reconciliation-item-schema.ts';
import { ReconciliationInbox } from './reconciliation-schema.ts';
import type { ColumnKind } from './record-rows.ts';
import { Retention } from './retention-schema.ts';
import { Subscription } from './subscription-schema.ts';
import { Delivery, DeliveryAttempt, EventOutboxEntry, Webhook, WebhookEventType } from './webhook-schema.ts';

/**
 * The tables for SQLite and Postgres. Properties have the names of columns, and of the domain
 * record's fields where it has them. Times are epoch milliseconds, dates YYYY-MM-DD, amounts minor
 * units. JSON is stored as the text that `JSON.stringify` wrote: no query reads inside it, and the
 * bytes are returned unchanged.
 *
 * The README of the package states the purpose and cost of each index.
 */

const id = () => p.bigint('number').primary().autoincrement();
const int = () => p.bigint('number');
const money = () => p.bigint('number').$type<Money>();
const json = () => p.text();

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
  },
  uniques: [{ name: 'tallystick_companies_customer_number', properties: ['customer_number'] }],
});

const company = () => p.manyToOne(Company).mapToPk().fieldName('company_id').index(false).deleteRule('no action');

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
  },
  indexes: [{ name: 'tallystick_api_keys_page', properties: ['company_id', 'id'] }],
});

export const RealCard = defineEntity({
  name: 'RealCard',
  tableName: 'tallystick_real_cards',
  properties: {
    id: id(),
    company_id: company,
    alias: p.text(),
    billing_currency: p.text(),
    account_range: p.text(),
    velocity_enabled: p.boolean(),
    network_data_names: json().nullable(),
    is_default: p.boolean(),
    created_at_ms: int(),
  },
  indexes: [{ name: 'tallystick_real_cards_page', properties: ['company_id', 'id'] }],
  uniques: [{ name: 'tallystick_real_cards_default', properties: ['company_id'], where: 'is_default' }],
});

export const PurchaseTemplate = defineEntity({
  name: 'PurchaseTemplate',
  tableName: 'tallystick_purchase_templates',
  properties: {
    id: id(),
    company_id: () => company().nullable(),
    name: p.text(),
    description: p.text(),
    mcc_list: json(),
    mcc_rule: p.text().$type<MccRule>(),
    required_control: p.text().$type<RequiredControl>(),
    status: p.text().$type<TemplateStatus>(),
    transaction_key: p.text(),
    copy_from_template: p.text(),
    customer_number: p.text(),
    environment: p.text().$type<Template['environment']>(),
    created_at_ms: int(),
    updated_at_ms: int(),
    deleted_at_ms: int().nullable(),
    completes_at_ms: int().nullable(),
  },
  indexes: [
    { name: 'tallystick_purchase_templates_page', properties: ['company_id', 'id'] },
    {
      name: 'tallystick_purchase_templates_due',
      properties: ['completes_at_ms'],
      where: 'completes_at_ms is not null',
    },
  ],
  uniques: [
    { name: 'tallystick_purchase_templates_name', properties: ['company_id', 'name'], where: 'deleted_at_ms is null' },
    { name: 'tallystick_purchase_templates_transaction_key', properties: ['company_id', 'transaction_key'] },
  ],
});

/**
 * The part of a card that decisions read and write. Rows are short because every decision rewrites
 * one.
 */
export const VirtualCard = defineEntity({
  name: 'VirtualCard',
  tableName: 'tallystick_virtual_cards',
  properties: {
    id: id(),
    company_id: company,
    rcn_id: () => p.manyToOne(RealCard).mapToPk().fieldName('rcn_id').index(false).deleteRule('no action'),
    template_id: () =>
      p.manyToOne(PurchaseTemplate).mapToPk().fieldName('template_id').index(false).deleteRule('no action'),
    status: p.text().$type<CardStatus>(),
    last4: p.text(),
    expiry: p.text(),
    number_index: p.uint8array(),
    number_sealed: p.uint8array(),
    number_key_id: p.text(),
    supplier_id: int().nullable(),
    created_at_ms: int(),
    canceled_at_ms: int().nullable(),
    // Controls
    per_transaction_min: money(),
    per_transaction_max: money(),
    per_transaction_max_defaulted: p.boolean(),
    total_card_amount: money(),
    transactions_max: int().nullable(),
    recurring: p.text().$type<Recurring>().nullable(),
    authorization_hold_days: int().nullable(),
    aging_velocity_time_zone: p.text().nullable(),
    currency: p.text().nullable(),
    valid_starting_on: p.text(),
    valid_ending_on: p.text(),
    // Counters
    window_start_ms: int(),
    held: money(),
    cleared: money(),
    uses: int(),
    next_hold_end_ms: int().nullable(),
    code_failures: int().defaultRaw('0'),
    code_failures_on: p.text().nullable(),
    // Triggers change these.
    provisional_clearings: int().defaultRaw('0'),
    settled_through: p.text().nullable(),
  },
  indexes: [
    { name: 'tallystick_virtual_cards_page', properties: ['company_id', 'id'] },
    { name: 'tallystick_virtual_cards_rcn', properties: ['company_id', 'rcn_id', 'id'] },
    { name: 'tallystick_virtual_cards_template', properties: ['company_id', 'template_id', 'id'] },
    { name: 'tallystick_virtual_cards_status', properties: ['company_id', 'status', 'id'] },
    { name: 'tallystick_virtual_cards_last4', properties: ['company_id', 'last4', 'id'] },
    {
      name: 'tallystick_virtual_cards_supplier',
      properties: ['company_id', 'supplier_id', 'id'],
      where: 'supplier_id is not null',
    },
    { name: 'tallystick_virtual_cards_key', properties: ['number_key_id', 'id'] },
    { name: 'tallystick_virtual_cards_due', properties: ['next_hold_end_ms'], where: 'next_hold_end_ms is not null' },
  ],
  uniques: [{ name: 'tallystick_virtual_cards_number', properties: ['number_index'] }],
});

/**
 * The part of a card that no decision reads: up to 16 KiB that a change of the counters must not
 * rewrite.
 */
export const VirtualCardDetails = defineEntity({
  name: 'VirtualCardDetails',
  tableName: 'tallystick_virtual_card_details',
  properties: {
    card_id: p.bigint('number').primary().autoincrement(false),
    emails: json().nullable(),
    notified: p.boolean(),
    network_data: json().nullable(),
    metadata: json().nullable(),
  },
});

/** How the fields of a card that are columns of `virtual_card_details` are written and read. */
export const card_detail_columns = {
  emails: 'json',
  notified: 'boolean',
  network_data: 'json',
  metadata: 'json',
} as const satisfies Readonly<Record<Exclude<keyof typeof VirtualCardDetails.properties, 'card_id'>, ColumnKind>>;

/**
 * A row for each top-level name of a card's metadata, so that a filter need not read every card.
 */
export const VirtualCardMetadata = defineEntity({
  name: 'VirtualCardMetadata',
  tableName: 'tallystick_virtual_card_metadata',
  properties: {
    company_id: p.bigint('number').primary(),
    /** A hash of the name and its value as text: short whatever their length. */
    entry: p.uint8array().primary(),
    card_id: p.bigint('number').primary(),
  },
});

// No foreign keys from here on: on Postgres each would lock its parent row for every network
// message.

/** The counters of a window of a card that is over. Only a pass over the card writes them. */
export const CardWindow = defineEntity({
  name: 'CardWindow',
  tableName: 'tallystick_card_windows',
  properties: {
    card_id: p.bigint('number').primary(),
    window_start_ms: p.bigint('number').primary(),
    held: money(),
    cleared: money(),
    uses: int(),
  },
});

/** Found by `AuthorizationKey`. */
export const Authorization = defineEntity({
  name: 'Authorization',
  tableName: 'tallystick_authorizations',
  properties: {
    id: id(),
    company_id: int(),
    card_id: int(),
    root_id: int().nullable(),
    message_type: p.text().$type<MessageType>(),
    incremental: p.boolean(),
    trace_id: p.text(),
    system_trace_audit_number: p.text(),
    transaction_date_time_ms: int(),
    decided_at_ms: int(),
    decline_code: p.text().$type<DeclineCode>().nullable(),
    approval_code: p.text().nullable(),
    billing_amount: money(),
    merchant_amount: money(),
    merchant_currency: p.text(),
    mcc: p.text(),
    merchant_id: p.text().nullable(),
    net_reference_number: p.text().nullable(),
    window_start_ms: int(),
    status: p.text().$type<AuthorizationStatus>(),
    authorized: money(),
    held: money(),
    cleared: money(),
    uses: int().$type<0 | 1>(),
    hold_end_ms: int().nullable(),
    request_id: p.text().nullable(),
    details: json(),
    reduced_at_ms: int().nullable(),
    uncleared_status: p.text().$type<AuthorizationStatus>().nullable(),
    uncleared_uses: int().$type<0 | 1>().nullable(),
  },
});

export const Clearing = defineEntity({
  name: 'Clearing',
  tableName: 'tallystick_clearings',
  properties: {
    id: id(),
    company_id: int(),
    card_id: int(),
    network_financial_transaction_id: p.text(),
    cycle: p.text().$type<ClearingCycle>(),
    clearing_type: p.text().$type<ClearingType>(),
    partial: p.boolean(),
    billing_amount: money(),
    billing_currency: p.text(),
    merchant_amount: money().nullable(),
    merchant_currency: p.text().nullable(),
    acquirer_reference_data: p.text().nullable(),
    approval_code: p.text().nullable(),
    net_reference_number: p.text().nullable(),
    merchant_id: p.text().nullable(),
    mcc: p.text().nullable(),
    settlement_date: p.text(),
    authorization_date: p.text().nullable(),
    recorded_at_ms: int(),
    authorization_id: int().nullable(),
    clearing_id: int().nullable(),
    match_rule: int(),
    review: p.boolean(),
    class: p.text().$type<ClearingClass>(),
    window_start_ms: int(),
    cleared_effect: money(),
    hold_effect: money(),
    uses: int().$type<0 | 1>(),
    request_id: p.text().nullable(),
    details: json(),
    reduced_at_ms: int().nullable(),
    synthetic_id: p.boolean().default(false),
    paired_transaction_id: p.text().nullable(),
    sent: json().nullable(),
    choices: json().nullable(),
  },
  indexes: [
    { name: 'tallystick_clearings_page', properties: ['card_id', 'id'] },
    {
      name: 'tallystick_clearings_acquirer_reference',
      properties: ['card_id', 'acquirer_reference_data'],
      where: 'acquirer_reference_data is not null',
    },
    {
      name: 'tallystick_clearings_approval',
      properties: ['card_id', 'approval_code'],
      where: 'approval_code is not null',
    },
    {
      name: 'tallystick_clearings_reference',
      properties: ['card_id', 'clearing_id'],
      where: 'clearing_id is not null',
    },
    {
      name: 'tallystick_clearings_authorization',
      properties: ['authorization_id'],
      where: 'authorization_id is not null',
    },
    {
      name: 'tallystick_clearings_network_reference',
      expression: (_columns, table, name) =>
        `create index "${name}" on "${table.name}" ("card_id", ${networkReferenceSql('"net_reference_number"')}) where net_reference_number is not null`,
    },
  ],
  uniques: [
    { name: 'tallystick_clearings_transaction', properties: ['network_financial_transaction_id'] },
    {
      name: 'tallystick_clearings_paired_transaction',
      properties: ['paired_transaction_id'],
      where: 'paired_transaction_id is not null',
    },
  ],
});

/** The column for the value of each event filter, normalised; null where the event has no value. */
export const event_filter_columns = {
  'payload.merchant_amount': 'merchant_amount',
  'payload.billing_amount': 'billing_amount',
  'payload.transaction_date_time': 'transaction_date_time_ms',
  'payload.approval_code': 'approval_code',
  'payload.net_ref_num': 'net_reference_number',
  'payload.card_number': 'card_number',
  'payload.financial_network_code': 'financial_network_code',
  'payload.mcc_description': 'mcc_description',
  'payload.mcc': 'mcc',
  'payload.merchant_name': 'merchant_name',
  'payload.rcn_alias': 'rcn_alias',
  'payload.rcn_id': 'rcn_id',
  'payload.transaction_type': 'transaction_type',
  'payload.vcn_id': 'vcn_id',
  'payload.id': 'payload_id',
  'payload.status': 'status',
  event_type: 'event_type',
  created_at: 'created_at_ms',
} as const satisfies Readonly<Record<FilterName, string>>;

/**
 * The event log. Rows are only appended. Filters are indexed in `event_filter_blocks` after the
 * commit.
 */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'tallystick_events',
  properties: {
    id: id(),
    company_id: int(),
    event_type: p.text(),
    created_at_ms: int(),
    merchant_amount: int().nullable(),
    billing_amount: int().nullable(),
    transaction_date_time_ms: int().nullable(),
    approval_code: p.text().nullable(),
    net_reference_number: p.text().nullable(),
    card_number: p.text().nullable(),
    financial_network_code: p.text().nullable(),
    mcc_description: p.text().nullable(),
    mcc: p.text().nullable(),
    merchant_name: p.text().nullable(),
    rcn_alias: p.text().nullable(),
    rcn_id: int().nullable(),
    transaction_type: p.text().nullable(),
    vcn_id: int().nullable(),
    payload_id: p.text().nullable(),
    status: p.text().nullable(),
    request_id: p.text().nullable(),
    payload: json(),
    previous: json().nullable(),
  },
  indexes: [{ name: 'tallystick_events_page', properties: ['company_id', 'id'] }],
});

export const UnknownNumberMessage = defineEntity({
  name: 'UnknownNumberMessage',
  tableName: 'tallystick_unknown_number_messages',
  properties: {
    id: id(),
    number_index: p.uint8array(),
    last4: p.text(),
    message: json(),
    recorded_at_ms: int(),
    request_id: p.text().nullable(),
  },
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

/** One row, written by the first migration. */
export const SandboxClock = defineEntity({
  name: 'SandboxClock',
  tableName: 'tallystick_sandbox_clock',
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    offset_ms: int(),
    frozen_at_ms: int().nullable(),
  },
});

/**
 * One row, written by its migration: facts that must not change during the life of the database.
 */
export const Installation = defineEntity({
  name: 'Installation',
  tableName: 'tallystick_installation',
  properties: {
    id: p.bigint('number').primary().autoincrement(false),
    /**
     * Fingerprint of the key that finds card numbers; null until the first start. Reveals nothing
     * about the key.
     */
    index_fingerprint: p.text().nullable(),
    /** How statement lines find their clearings; null until the first migration has ended. */
    statement_key: p.text().$type<StatementKeySetting>().nullable(),
    /** Random. Distinguishes this database from others. */
    installation_id: p.text().nullable(),
  },
});

export const entities = [
  Company,
  ApiKey,
  RealCard,
  PurchaseTemplate,
  VirtualCard,
  VirtualCardDetails,
  VirtualCardMetadata,
  CardWindow,
  Authorization,
  AuthorizationKey,
  Clearing,
  Event,
  EventFilterBlock,
  EventIndexState,
  UnknownNumberMessage,
  AuditEntry,
  IdempotencyRecord,
  SandboxClock,
  Installation,
  Webhook,
  WebhookEventType,
  EventOutboxEntry,
  Delivery,
  DeliveryAttempt,
  Mail,
  OneTimeLink,
  MailboxMessage,
  Quarantined,
  Import,
  ImportBatch,
  Retention,
  Account,
  Statement,
  StatementLine,
  BankUser,
  BankCompany,
  AccountProfile,
  AccountBalance,
  ShownTransaction,
  DirectDebit,
  StandingOrder,
  ScheduledPayment,
  ReconciliationInbox,
  ReconciliationCompany,
  ReconciliationEntry,
  ReconciliationItem,
  ReconciliationCell,
  ReconciliationMatchCell,
  ReconciliationAct,
  ReconciliationActRecord,
  ReconciliationPeriod,
  AuditChain,
  Consent,
  ThirdParty,
  AuthorisationRecord,
  Subscription,
];
