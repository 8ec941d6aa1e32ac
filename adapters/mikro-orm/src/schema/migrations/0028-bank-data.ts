import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * What the bank shows to third parties: users, entitlements, profiles, balances, mandates and orders,
 * and transactions that are no statement lines.
 */
export function bankData(dialect: Dialect): readonly string[] {
  const { id, given_id, text, boolean, unique } = words(dialect);
  return [
    'alter table statement_lines add column balance_after bigint',
    `create table bank_users (
      id ${id},
      user_id ${text} not null,
      company_id bigint not null,
      name ${text} not null,
      status ${text} not null,
      eligible_services ${text} not null,
      configured_services ${text} not null,
      may_view_direct_debits ${boolean} not null,
      viewable_accounts ${text} not null,
      updated_at_ms bigint not null
    )`,
    unique('bank_users_user_id', 'bank_users', 'user_id'),
    'create index bank_users_page on bank_users (company_id, id)',
    `create table bank_companies (
      company_id ${given_id},
      eligible_services ${text} not null,
      is_configured ${boolean} not null
    )`,
    `create table account_profiles (
      account_id ${given_id},
      scheme_name ${text},
      identification ${text},
      secondary_identification ${text},
      holder_name ${text},
      nickname ${text},
      description ${text},
      account_type ${text} not null,
      deposit_sub_type ${text} not null,
      opened_on ${text},
      status ${text} not null,
      status_updated_at_ms bigint not null,
      servicer_scheme_name ${text},
      servicer_identification ${text}
    )`,
    'create index account_profiles_identification on account_profiles (scheme_name, identification, account_id) where scheme_name is not null',
    `create table account_balances (
      account_id ${given_id},
      booked bigint not null,
      available bigint not null,
      credit_line bigint,
      as_of_ms bigint not null
    )`,
    `create table shown_transactions (
      id ${id},
      account_id bigint not null,
      bank_reference ${text} not null,
      booking_date ${text} not null,
      value_date ${text} not null,
      amount bigint not null,
      bai_code ${text} not null,
      text ${text} not null,
      acquirer_reference ${text},
      balance_after bigint,
      merchant_name ${text},
      merchant_category_code ${text},
      recorded_at_ms bigint not null
    )`,
    unique('shown_transactions_reference', 'shown_transactions', 'account_id, bank_reference'),
    'create index shown_transactions_page on shown_transactions (account_id, booking_date, id)',
    `create table direct_debits (
      id ${id},
      account_id bigint not null,
      mandate_reference ${text} not null,
      status ${text} not null,
      name ${text} not null,
      frequency ${text},
      previous_payment_on ${text},
      previous_payment_amount bigint,
      updated_at_ms bigint not null
    )`,
    unique('direct_debits_reference', 'direct_debits', 'account_id, mandate_reference'),
    "create index direct_debits_page on direct_debits (account_id, id) where status = 'active'",
    `create table standing_orders (
      id ${id},
      account_id bigint not null,
      reference ${text} not null,
      status ${text} not null,
      frequency ${text} not null,
      payment_reference ${text},
      first_payment_on ${text},
      first_payment_amount bigint,
      next_payment_on ${text},
      next_payment_amount bigint,
      last_payment_on ${text},
      last_payment_amount bigint,
      final_payment_on ${text},
      final_payment_amount bigint,
      number_of_payments ${text},
      creditor_scheme_name ${text} not null,
      creditor_identification ${text} not null,
      creditor_name ${text},
      updated_at_ms bigint not null
    )`,
    unique('standing_orders_reference', 'standing_orders', 'account_id, reference'),
    "create index standing_orders_page on standing_orders (account_id, id) where status = 'active'",
    `create table scheduled_payments (
      id ${id},
      account_id bigint not null,
      reference ${text} not null,
      status ${text} not null,
      scheduled_on ${text} not null,
      scheduled_type ${text} not null,
      amount bigint not null,
      payment_reference ${text},
      creditor_scheme_name ${text} not null,
      creditor_identification ${text} not null,
      creditor_name ${text},
      updated_at_ms bigint not null
    )`,
    unique('scheduled_payments_reference', 'scheduled_payments', 'account_id, reference'),
    "create index scheduled_payments_page on scheduled_payments (account_id, id) where status = 'pending'",
  ];
}
