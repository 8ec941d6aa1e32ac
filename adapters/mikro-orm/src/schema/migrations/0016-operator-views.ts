import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * What operators see and change: the state of companies and webhooks, and indexes for the lists of
 * the audit log and of failed deliveries. A customer number becomes unique. Of companies that have
 * one number already, all but the first are marked, and keep it.
 */
export function operatorViews(dialect: Dialect): readonly string[] {
  const { text, boolean } = words(dialect);
  return [
    `alter table companies add column status ${text} not null default 'active'`,
    `alter table companies add column rate_limit_per_minute bigint`,
    `alter table companies add column shares_customer_number ${boolean} not null default false`,
    `update companies set shares_customer_number = true where exists (select 1 from companies earlier
      where earlier.customer_number = companies.customer_number and earlier.id < companies.id)`,
    `create unique index companies_customer_number on companies (customer_number) where not shares_customer_number`,
    `alter table webhooks add column failures_in_a_row bigint not null default 0`,
    `alter table webhooks add column failing_since_ms bigint`,
    `create index deliveries_failed on deliveries (webhook_id, id) where state = 'failed'`,
    `create index audit_entries_page on audit_entries (at_ms, id)`,
    `create index audit_entries_company on audit_entries (company_id, at_ms, id)`,
    `create index audit_entries_actor on audit_entries (actor, at_ms, id)`,
    `create index audit_entries_action on audit_entries (action, at_ms, id)`,
    `create index audit_entries_object on audit_entries (object, at_ms, id)`,
  ];
}
