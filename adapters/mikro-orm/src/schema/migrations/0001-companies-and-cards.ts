import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** Companies, their keys, real cards, templates and virtual cards. */
export function companiesAndCards(dialect: Dialect): readonly string[] {
  const { id, given_id, text, bytes, boolean, unique, afterIds } = words(dialect);
  return [
    `create table companies (
      id ${id},
      name ${text} not null,
      customer_number ${text} not null,
      created_at_ms bigint not null
    )`,
    `create table api_keys (
      id ${id},
      company_id bigint,
      role ${text} not null,
      environment ${text} not null,
      name ${text} not null,
      secret_sha256 ${bytes} not null,
      signing_secret_sealed ${bytes},
      rate_limit_per_minute bigint,
      created_at_ms bigint not null,
      revoked_at_ms bigint,
      constraint api_keys_company_id_foreign foreign key (company_id) references companies (id)
    )`,
    `create index api_keys_page on api_keys (company_id, id)`,
    `create table real_cards (
      id ${id},
      company_id bigint not null,
      alias ${text} not null,
      billing_currency ${text} not null,
      account_range ${text} not null,
      velocity_enabled ${boolean} not null,
      network_data_names ${text},
      is_default ${boolean} not null,
      created_at_ms bigint not null,
      constraint real_cards_company_id_foreign foreign key (company_id) references companies (id)
    )`,
    `create index real_cards_page on real_cards (company_id, id)`,
    `create unique index real_cards_default on real_cards (company_id) where is_default`,
    `create table purchase_templates (
      id ${id},
      company_id bigint,
      name ${text} not null,
      description ${text} not null,
      mcc_list ${text} not null,
      mcc_rule ${text} not null,
      required_control ${text} not null,
      status ${text} not null,
      transaction_key ${text} not null,
      copy_from_template ${text} not null,
      customer_number ${text} not null,
      environment ${text} not null,
      created_at_ms bigint not null,
      updated_at_ms bigint not null,
      deleted_at_ms bigint,
      completes_at_ms bigint,
      constraint purchase_templates_company_id_foreign foreign key (company_id) references companies (id)
    )`,
    `create index purchase_templates_page on purchase_templates (company_id, id)`,
    `create index purchase_templates_due on purchase_templates (completes_at_ms) where completes_at_ms is not null`,
    `create unique index purchase_templates_name on purchase_templates (company_id, name) where deleted_at_ms is null`,
    unique('purchase_templates_transaction_key', 'purchase_templates', 'company_id, transaction_key'),
    `create table virtual_cards (
      id ${id},
      company_id bigint not null,
      rcn_id bigint not null,
      template_id bigint not null,
      status ${text} not null,
      last4 ${text} not null,
      expiry ${text} not null,
      number_index ${bytes} not null,
      number_sealed ${bytes} not null,
      number_key_id ${text} not null,
      supplier_id bigint,
      created_at_ms bigint not null,
      canceled_at_ms bigint,
      per_transaction_min bigint not null,
      per_transaction_max bigint not null,
      per_transaction_max_defaulted ${boolean} not null,
      total_card_amount bigint not null,
      transactions_max bigint,
      recurring ${text},
      authorization_hold_days bigint,
      aging_velocity_time_zone ${text},
      currency ${text},
      valid_starting_on ${text} not null,
      valid_ending_on ${text} not null,
      window_start_ms bigint not null,
      held bigint not null,
      cleared bigint not null,
      uses bigint not null,
      next_hold_end_ms bigint,
      constraint virtual_cards_company_id_foreign foreign key (company_id) references companies (id),
      constraint virtual_cards_rcn_id_foreign foreign key (rcn_id) references real_cards (id),
      constraint virtual_cards_template_id_foreign foreign key (template_id) references purchase_templates (id)
    )`,
    `create index virtual_cards_page on virtual_cards (company_id, id)`,
    `create index virtual_cards_rcn on virtual_cards (company_id, rcn_id, id)`,
    `create index virtual_cards_template on virtual_cards (company_id, template_id, id)`,
    `create index virtual_cards_status on virtual_cards (company_id, status, id)`,
    `create index virtual_cards_last4 on virtual_cards (company_id, last4, id)`,
    `create index virtual_cards_supplier on virtual_cards (company_id, supplier_id, id) where supplier_id is not null`,
    `create index virtual_cards_key on virtual_cards (number_key_id, id)`,
    `create index virtual_cards_due on virtual_cards (next_hold_end_ms) where next_hold_end_ms is not null`,
    unique('virtual_cards_number', 'virtual_cards', 'number_index'),
    `create table virtual_card_details (
      card_id ${given_id},
      emails ${text},
      notified ${boolean} not null,
      network_data ${text},
      metadata ${text}
    )`,
    `create table virtual_card_metadata (
      company_id bigint not null,
      entry ${bytes} not null,
      card_id bigint not null,
      primary key (company_id, entry, card_id)
    )`,
    // The shared defaults, which allow every MCC: a DENY rule with an empty list.
    ...[defaultTemplate(1, 'VELOCITY'), defaultTemplate(2, 'AGING_VELOCITY')],
    ...afterIds('purchase_templates', 2),
  ];
}

function defaultTemplate(id: number, required_control: 'VELOCITY' | 'AGING_VELOCITY'): string {
  return `insert into purchase_templates (
      id, company_id, name, description, mcc_list, mcc_rule, required_control, status, transaction_key,
      copy_from_template, customer_number, environment, created_at_ms, updated_at_ms
    ) values (
      ${id}, null, 'Allow all, ${required_control}', 'Shared default that allows every MCC', '[]', 'DENY', '${required_control}', 'ACTIVE',
      '00000000-0000-4000-8000-00000000000${id}', '${id}', '', 'live', 0, 0
    )`;
}
