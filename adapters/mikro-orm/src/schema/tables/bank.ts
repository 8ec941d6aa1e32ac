import { defineEntity, p } from '@mikro-orm/core';
import type {
  AccountProfile as AccountProfileRecord,
  BankUserStatus,
  DirectDebit as DirectDebitRecord,
  ScheduledPayment as ScheduledPaymentRecord,
  StandingOrder as StandingOrderRecord,
} from '@tallystick/accounts';
import { givenId, id, int, json, money } from './columns.ts';

export const BankUser = defineEntity({
  name: 'BankUser',
  tableName: 'tallystick_bank_users',
  properties: {
    id: id(),
    user_id: p.text(),
    company_id: int(),
    name: p.text(),
    status: p.text().$type<BankUserStatus>(),
    eligible_services: json(),
    configured_services: json(),
    may_view_direct_debits: p.boolean(),
    viewable_accounts: json(),
    updated_at_ms: int(),
  },
  indexes: [{ name: 'tallystick_bank_users_page', properties: ['company_id', 'id'] }],
  uniques: [{ name: 'tallystick_bank_users_user_id', properties: ['user_id'] }],
});

/** What the bank allows a company; a company without a row is eligible for nothing. */
export const BankCompany = defineEntity({
  name: 'BankCompany',
  tableName: 'tallystick_bank_companies',
  properties: { company_id: givenId(), eligible_services: json(), is_configured: p.boolean() },
});

export const AccountProfile = defineEntity({
  name: 'AccountProfile',
  tableName: 'tallystick_account_profiles',
  properties: {
    account_id: givenId(),
    scheme_name: p.text().nullable(),
    identification: p.text().nullable(),
    secondary_identification: p.text().nullable(),
    holder_name: p.text().nullable(),
    nickname: p.text().nullable(),
    description: p.text().nullable(),
    account_type: p.text().$type<AccountProfileRecord['account_type']>(),
    deposit_sub_type: p.text().$type<AccountProfileRecord['deposit_sub_type']>(),
    opened_on: p.text().nullable(),
    status: p.text().$type<AccountProfileRecord['status']>(),
    status_updated_at_ms: int(),
    servicer_scheme_name: p.text().nullable(),
    servicer_identification: p.text().nullable(),
  },
  indexes: [
    {
      name: 'tallystick_account_profiles_identification',
      properties: ['scheme_name', 'identification', 'account_id'],
      where: 'scheme_name is not null',
    },
  ],
});

export const AccountBalance = defineEntity({
  name: 'AccountBalance',
  tableName: 'tallystick_account_balances',
  properties: {
    account_id: givenId(),
    booked: money(),
    available: money(),
    credit_line: money().nullable(),
    as_of_ms: int(),
  },
});

/** Booked transactions that only Open Banking reads. */
export const ShownTransaction = defineEntity({
  name: 'ShownTransaction',
  tableName: 'tallystick_shown_transactions',
  properties: {
    id: id(),
    account_id: int(),
    bank_reference: p.text(),
    booking_date: p.text(),
    value_date: p.text(),
    amount: money(),
    bai_code: p.text(),
    text: p.text(),
    acquirer_reference: p.text().nullable(),
    balance_after: money().nullable(),
    merchant_name: p.text().nullable(),
    merchant_category_code: p.text().nullable(),
    recorded_at_ms: int(),
  },
  indexes: [{ name: 'tallystick_shown_transactions_page', properties: ['account_id', 'booking_date', 'id'] }],
  uniques: [{ name: 'tallystick_shown_transactions_reference', properties: ['account_id', 'bank_reference'] }],
});

export const DirectDebit = defineEntity({
  name: 'DirectDebit',
  tableName: 'tallystick_direct_debits',
  properties: {
    id: id(),
    account_id: int(),
    mandate_reference: p.text(),
    status: p.text().$type<DirectDebitRecord['status']>(),
    name: p.text(),
    frequency: p.text().nullable(),
    previous_payment_on: p.text().nullable(),
    previous_payment_amount: money().nullable(),
    updated_at_ms: int(),
  },
  indexes: [{ name: 'tallystick_direct_debits_page', properties: ['account_id', 'id'], where: "status = 'active'" }],
  uniques: [{ name: 'tallystick_direct_debits_reference', properties: ['account_id', 'mandate_reference'] }],
});

const creditor = () => ({
  creditor_scheme_name: p.text(),
  creditor_identification: p.text(),
  creditor_name: p.text().nullable(),
});

export const StandingOrder = defineEntity({
  name: 'StandingOrder',
  tableName: 'tallystick_standing_orders',
  properties: {
    id: id(),
    account_id: int(),
    reference: p.text(),
    status: p.text().$type<StandingOrderRecord['status']>(),
    frequency: p.text(),
    payment_reference: p.text().nullable(),
    first_payment_on: p.text().nullable(),
    first_payment_amount: money().nullable(),
    next_payment_on: p.text().nullable(),
    next_payment_amount: money().nullable(),
    last_payment_on: p.text().nullable(),
    last_payment_amount: money().nullable(),
    final_payment_on: p.text().nullable(),
    final_payment_amount: money().nullable(),
    number_of_payments: p.text().nullable(),
    ...creditor(),
    updated_at_ms: int(),
  },
  indexes: [{ name: 'tallystick_standing_orders_page', properties: ['account_id', 'id'], where: "status = 'active'" }],
  uniques: [{ name: 'tallystick_standing_orders_reference', properties: ['account_id', 'reference'] }],
});

export const ScheduledPayment = defineEntity({
  name: 'ScheduledPayment',
  tableName: 'tallystick_scheduled_payments',
  properties: {
    id: id(),
    account_id: int(),
    reference: p.text(),
    status: p.text().$type<ScheduledPaymentRecord['status']>(),
    scheduled_on: p.text(),
    scheduled_type: p.text().$type<ScheduledPaymentRecord['scheduled_type']>(),
    amount: money(),
    payment_reference: p.text().nullable(),
    ...creditor(),
    updated_at_ms: int(),
  },
  indexes: [
    { name: 'tallystick_scheduled_payments_page', properties: ['account_id', 'id'], where: "status = 'pending'" },
  ],
  uniques: [{ name: 'tallystick_scheduled_payments_reference', properties: ['account_id', 'reference'] }],
});
