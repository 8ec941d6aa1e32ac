import { defineEntity, p } from '@mikro-orm/core';
import type {
  AuthorizationStatus,
  ClearingClass,
  ClearingCycle,
  ClearingType,
  ClientAnswer,
  ConsultationOutcome,
  DeclineCode,
  MessageType,
} from '@tallystick/cards';
import { networkReferenceSql } from '../look-ups.ts';
import { columnsOf, id, int, json, money } from './columns.ts';

// No foreign keys: on Postgres each would lock its parent row for every network message.

/**
 * The authorizations whose status has changed since their decision, so that a decision writes no
 * entry of their index. A query repeats the condition, so that the index is used.
 */
export const changed_status_sql =
  "root_id = id and status <> 'open' and status <> 'declined' and reduced_at_ms is null";

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
    event_id: int(),
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
    facts: json().nullable(),
    reduced_at_ms: int().nullable(),
    uncleared_status: p.text().$type<AuthorizationStatus>().nullable(),
    uncleared_uses: int().$type<0 | 1>().nullable(),
  },
  indexes: [
    {
      name: 'tallystick_authorizations_status',
      properties: ['company_id', 'status', 'event_id'],
      where: changed_status_sql,
    },
  ],
});

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

/** What happened to a card beside its authorizations and clearings, in the order of the events. */
export const CardAct = defineEntity({
  name: 'CardAct',
  tableName: 'tallystick_card_acts',
  properties: {
    card_id: p.bigint('number').primary(),
    event_id: p.bigint('number').primary(),
    at_ms: int(),
    act: json(),
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
    event_id: int(),
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

export const Consultation = defineEntity({
  name: 'Consultation',
  tableName: 'tallystick_consultations',
  properties: {
    id: id(),
    consultation_id: p.text(),
    company_id: int(),
    vcn_id: int(),
    trace_id: p.text(),
    asked: money(),
    sent_at_ms: int(),
    request_id: p.text().nullable(),
    authorization_id: int().nullable(),
    decline_code: p.text().$type<DeclineCode>().nullable(),
    respond_by_ms: int().nullable(),
    ms: int().nullable(),
    outcome: p.text().$type<ConsultationOutcome>().nullable(),
    answer: p.text().$type<ClientAnswer>().nullable(),
    amount: money().nullable(),
    note: p.text().nullable(),
    stood_in: p.text().nullable(),
    late_answer: p.text().$type<ClientAnswer>().nullable(),
    late_amount: money().nullable(),
    late_ms: int().nullable(),
  },
  indexes: [
    { name: 'tallystick_consultations_page', properties: ['company_id', 'id'] },
    {
      name: 'tallystick_consultations_authorization',
      properties: ['authorization_id'],
      where: 'authorization_id is not null',
    },
  ],
  uniques: [{ name: 'tallystick_consultations_message', properties: ['consultation_id'] }],
});

/** The columns that a pass writes. */
export const consultation_columns = columnsOf(Consultation, 'id', 'late_answer', 'late_amount', 'late_ms');

const concluded_columns = [
  'authorization_id',
  'decline_code',
  'respond_by_ms',
  'ms',
  'outcome',
  'answer',
  'amount',
  'note',
  'stood_in',
] as const satisfies readonly (keyof typeof consultation_columns)[];

/** How a consultation that is known is written: only once, when it is concluded. */
export const consulted_again_sql = `on conflict (consultation_id) do update
  set ${concluded_columns.map((name) => `${name} = excluded.${name}`).join(', ')}
  where excluded.authorization_id is not null and tallystick_consultations.authorization_id is null`;
