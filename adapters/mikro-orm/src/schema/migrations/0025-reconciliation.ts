import type { Dialect } from '../dialect.ts';
import { reconciliation_backfill } from '../reconciliation-item-schema.ts';
import { type Look, startBackfill } from './start-backfill.ts';
import { words } from './words.ts';

/**
 * The items of reconciliation, what finds their pairs, their summary, and what people did to them.
 * Records enter the inbox by triggers, so that those of an older server are not missed. Records
 * from before the migration enter it by a backfill.
 */
export async function reconciliation(dialect: Dialect, look: Look): Promise<readonly string[]> {
  const { id, given_id, text } = words(dialect);
  const without_rowid = dialect === 'sqlite' ? ' without rowid' : '';
  const last_record = Math.max(await look.largest('authorizations', 'id'), await look.largest('clearings', 'id'));
  return [
    `create table reconciliation_companies (
      company_id ${given_id},
      coverage ${text} not null,
      walk ${text}
    )`,
    'create index reconciliation_companies_walking on reconciliation_companies (company_id) where walk is not null',
    `create table reconciliation_entries (
      company_id bigint not null,
      "key" ${text} not null,
      kind ${text} not null,
      record_id bigint not null,
      item_id bigint not null,
      primary key (company_id, "key", kind, record_id)
    )${without_rowid}`,
    `create table reconciliation_items (
      id ${given_id},
      company_id bigint not null,
      status ${text} not null,
      kind ${text},
      class ${text},
      rule ${text},
      vcn_id bigint,
      merchant_name ${text},
      authorization_ids ${text} not null,
      clearing_ids ${text} not null,
      line_ids ${text} not null,
      matches ${text} not null,
      alternatives ${text} not null,
      authorized bigint,
      cleared bigint,
      stated bigint,
      fees bigint not null,
      difference bigint not null,
      currency ${text} not null,
      sides bigint not null,
      settlement_date ${text},
      period_date ${text},
      due_date ${text},
      next_change_ms bigint,
      opened_at_ms bigint not null,
      version bigint not null,
      period_id bigint
    )`,
    'create index reconciliation_items_page on reconciliation_items (company_id, status, opened_at_ms, id)',
    'create index reconciliation_items_kind on reconciliation_items (company_id, kind, opened_at_ms, id) where kind is not null',
    "create index reconciliation_items_class on reconciliation_items (company_id, class, opened_at_ms, id) where class is not null and class <> 'exact'",
    'create index reconciliation_items_card on reconciliation_items (vcn_id, opened_at_ms, id) where vcn_id is not null',
    'create index reconciliation_items_period on reconciliation_items (company_id, period_date, id) where period_date is not null',
    'create index reconciliation_items_next on reconciliation_items (next_change_ms, company_id) where next_change_ms is not null',
    'create index reconciliation_items_frozen on reconciliation_items (period_id, id) where period_id is not null',
    `create table reconciliation_cells (
      company_id bigint not null,
      currency ${text} not null,
      status ${text} not null,
      kind ${text} not null,
      class ${text} not null,
      due_date ${text} not null,
      count bigint not null,
      sum bigint not null,
      primary key (company_id, currency, status, kind, class, due_date)
    )${without_rowid}`,
    `create table reconciliation_match_cells (
      company_id bigint not null,
      settlement_date ${text} not null,
      rule ${text} not null,
      side ${text} not null,
      count bigint not null,
      primary key (company_id, settlement_date, rule, side)
    )${without_rowid}`,
    `create table reconciliation_acts (
      id ${id},
      company_id bigint not null,
      at_ms bigint not null,
      actor ${text} not null,
      action ${text} not null,
      item_id bigint not null,
      subject ${text} not null,
      note ${text} not null,
      reason ${text},
      request_id ${text}
    )`,
    "create index reconciliation_acts_counted on reconciliation_acts (company_id) where action in ('confirm', 'unmatch')",
    `create table reconciliation_act_records (
      company_id bigint not null,
      record bigint not null,
      act_id bigint not null,
      primary key (company_id, record, act_id)
    )${without_rowid}`,
    `create table reconciliation_periods (
      id ${id},
      company_id bigint not null,
      closed_through ${text} not null,
      status ${text} not null,
      closed_at_ms bigint not null,
      closed_by ${text} not null,
      frozen bigint not null,
      open_breaks bigint not null,
      reopened_at_ms bigint,
      reopened_by ${text}
    )`,
    'create index reconciliation_periods_page on reconciliation_periods (company_id, id)',
    ...(dialect === 'sqlite' ? entering_on_sqlite : entering_on_postgres),
    startBackfill(reconciliation_backfill, last_record),
  ];
}

/** Whether an authorization, the row `row`, may have an item: it was approved, for an amount. */
function hasItem(row: string): string {
  return `${row}.root_id = ${row}.id and ${row}.decline_code is null and (${row}.authorized <> 0 or ${row}.cleared <> 0)`;
}

/**
 * Whether an authorization changed in what items show, by something other than a clearing: the
 * clearing enters the inbox itself.
 */
function isChanged(differs: (column: string) => string): string {
  const status = `${differs('status')} or ${differs('uncleared_status')} or ${differs('decline_code')}`;
  return `new.root_id = new.id and (${differs('authorized')} or ${differs('hold_end_ms')}
    or (new.cleared = old.cleared and (${status})))`;
}

/** Whether a clearing changed in what items show. */
function isMatchedAgain(differs: (column: string) => string): string {
  const columns = [
    'authorization_id',
    'clearing_id',
    'match_rule',
    'class',
    'review',
    'network_financial_transaction_id',
    'choices',
  ];
  return columns.map(differs).join(' or ');
}

const enter = 'insert into reconciliation_inbox (company_id, kind, record_id)';

/** The kind of the record that gave the item of an act its id (`itemIdOf`). */
const kind_of_item = `case new.item_id % 4 when 0 then 'authorization' when 1 then 'clearing' else 'line' end`;

const entering_on_sqlite: readonly string[] = [
  `create trigger authorizations_enter after insert on authorizations when ${hasItem('new')} begin
     ${enter} values (new.company_id, 'authorization', new.id);
   end`,
  `create trigger authorizations_change after update on authorizations
     when ${isChanged((column) => `new.${column} is not old.${column}`)} begin
     ${enter} values (new.company_id, 'authorization', new.id);
   end`,
  `create trigger clearings_enter after insert on clearings begin
     ${enter} values (new.company_id, 'clearing', new.id);
   end`,
  `create trigger clearings_change after update on clearings
     when ${isMatchedAgain((column) => `new.${column} is not old.${column}`)} begin
     ${enter} values (new.company_id, 'clearing', new.id);
   end`,
  `create trigger accounts_covered after update on accounts
     when new.first_statement_as_of is not old.first_statement_as_of begin
     ${enter} values (new.company_id, 'account', new.id);
   end`,
  `create trigger reconciliation_acts_enter after insert on reconciliation_acts begin
     ${enter} values (new.company_id, ${kind_of_item}, new.item_id / 4);
     insert or ignore into reconciliation_act_records (company_id, record, act_id)
       select new.company_id, new.item_id, new.id
       union select new.company_id, (value ->> '$.line_id') * 4 + 2, new.id from json_each(new.subject, '$.pairs')
       union select new.company_id, (value ->> '$.clearing_id') * 4 + 1, new.id from json_each(new.subject, '$.pairs')
       union select new.company_id, (new.subject ->> '$.authorization.clearing_id') * 4 + 1, new.id
         where new.subject ->> '$.authorization.clearing_id' is not null;
   end`,
];

const differs = (column: string) => `new.${column} is distinct from old.${column}`;

const entering_on_postgres: readonly string[] = [
  `create function enter_authorizations() returns trigger language plpgsql as $$
   begin
     ${enter} select company_id, 'authorization', id from inserted i where ${hasItem('i')} order by id;
     return null;
   end $$`,
  `create trigger authorizations_enter after insert on authorizations referencing new table as inserted
     for each statement execute function enter_authorizations()`,
  `create function enter_clearings() returns trigger language plpgsql as $$
   begin
     ${enter} select company_id, 'clearing', id from inserted order by id;
     return null;
   end $$`,
  `create trigger clearings_enter after insert on clearings referencing new table as inserted
     for each statement execute function enter_clearings()`,
  `create function enter_changed_record() returns trigger language plpgsql as $$
   begin
     ${enter} values (new.company_id, tg_argv[0], new.id);
     return null;
   end $$`,
  `create trigger authorizations_change after update on authorizations for each row
     when (${isChanged(differs)}) execute function enter_changed_record('authorization')`,
  `create trigger clearings_change after update on clearings for each row
     when (${isMatchedAgain(differs)}) execute function enter_changed_record('clearing')`,
  `create trigger accounts_covered after update on accounts for each row
     when (${differs('first_statement_as_of')}) execute function enter_changed_record('account')`,
  `create function enter_reconciliation_act() returns trigger language plpgsql as $$
   begin
     ${enter} values (new.company_id, ${kind_of_item}, new.item_id / 4);
     insert into reconciliation_act_records (company_id, record, act_id)
       select new.company_id, new.item_id, new.id
       union select new.company_id, (p ->> 'line_id')::bigint * 4 + 2, new.id
         from json_array_elements(new.subject::json -> 'pairs') p
       union select new.company_id, (p ->> 'clearing_id')::bigint * 4 + 1, new.id
         from json_array_elements(new.subject::json -> 'pairs') p
       union select new.company_id, (new.subject::json #>> '{authorization,clearing_id}')::bigint * 4 + 1, new.id
         where new.subject::json #>> '{authorization,clearing_id}' is not null
       on conflict do nothing;
     return null;
   end $$`,
  `create trigger reconciliation_acts_enter after insert on reconciliation_acts
     for each row execute function enter_reconciliation_act()`,
];
