import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * Accounts at the bank, their statements and lines, and the inbox of reconciliation. Card lines
 * enter the inbox by a trigger.
 */
export function accounts(dialect: Dialect): readonly string[] {
  const { id, text, unique } = words(dialect);
  return [
    `create table accounts (
      id ${id},
      company_id bigint not null,
      number ${text} not null,
      currency ${text} not null,
      kind ${text} not null,
      name ${text},
      created_at_ms bigint not null,
      first_statement_as_of ${text},
      first_statement_balance bigint,
      last_statement_as_of ${text},
      last_statement_balance bigint
    )`,
    unique('accounts_number', 'accounts', 'number'),
    'create index accounts_page on accounts (company_id, id)',
    `create table statements (
      id ${id},
      account_id bigint not null,
      company_id bigint not null,
      as_of ${text} not null,
      position bigint not null,
      reference ${text},
      opening_balance bigint not null,
      closing_balance bigint not null,
      import_id bigint,
      recorded_at_ms bigint not null
    )`,
    unique('statements_chain', 'statements', 'account_id, as_of, position'),
    `create table statement_lines (
      id ${id},
      account_id bigint not null,
      company_id bigint not null,
      currency ${text} not null,
      statement_id bigint,
      place bigint,
      bank_reference ${text},
      booking_date ${text} not null,
      value_date ${text} not null,
      amount bigint not null,
      bai_code ${text} not null,
      text ${text} not null,
      acquirer_reference ${text},
      recorded_at_ms bigint not null
    )`,
    'create unique index statement_lines_reference on statement_lines (account_id, bank_reference) where bank_reference is not null',
    'create unique index statement_lines_place on statement_lines (statement_id, place) where statement_id is not null',
    'create index statement_lines_page on statement_lines (account_id, booking_date, id)',
    `create table reconciliation_inbox (
      id ${id},
      company_id bigint not null,
      kind ${text} not null,
      record_id bigint not null
    )`,
    'create index reconciliation_inbox_company on reconciliation_inbox (company_id, id)',
    ...(dialect === 'sqlite' ? lines_enter_on_sqlite : lines_enter_on_postgres),
  ];
}

/**
 * The card lines when this migration was written. A later version that has more of them replaces
 * the trigger.
 */
const card_lines = "('391', '691', '821', '822', '824', '825', '826')";

const lines_enter_on_sqlite: readonly string[] = [
  `create trigger statement_lines_enter after insert on statement_lines when new.bai_code in ${card_lines} begin
     insert into reconciliation_inbox (company_id, kind, record_id) values (new.company_id, 'line', new.id);
   end`,
];

const lines_enter_on_postgres: readonly string[] = [
  `create function enter_statement_lines() returns trigger language plpgsql as $$
   begin
     insert into reconciliation_inbox (company_id, kind, record_id)
       select company_id, 'line', id from inserted where bai_code in ${card_lines} order by id;
     return null;
   end $$`,
  `create trigger statement_lines_enter after insert on statement_lines referencing new table as inserted
     for each statement execute function enter_statement_lines()`,
];
