import { card_line_codes } from '@tallystick/accounts';
import type { Dialect } from '../dialect.ts';

/**
 * The triggers. They count the provisional clearings of a card, enter the records of reconciliation
 * into its inbox, and list the records of each act.
 */
export function triggers(dialect: Dialect): readonly string[] {
  return dialect === 'sqlite'
    ? [...counted_on_sqlite, ...lines_enter_on_sqlite, ...entering_on_sqlite]
    : [...counted_on_postgres, ...lines_enter_on_postgres, ...entering_on_postgres];
}

const counted_on_sqlite: readonly string[] = [
  `create trigger tallystick_clearings_inserted after insert on tallystick_clearings begin
     update tallystick_virtual_cards set provisional_clearings = provisional_clearings + (new.match_rule > 2),
       settled_through = max(coalesce(settled_through, ''), new.settlement_date)
     where id = new.card_id;
   end`,
  `create trigger tallystick_clearings_rematched after update of match_rule on tallystick_clearings
     when (new.match_rule > 2) <> (old.match_rule > 2) begin
     update tallystick_virtual_cards set provisional_clearings = provisional_clearings + (new.match_rule > 2) - (old.match_rule > 2)
     where id = new.card_id;
   end`,
];

const counted_on_postgres: readonly string[] = [
  `create function tallystick_count_clearings() returns trigger language plpgsql as $$
   begin
     update tallystick_virtual_cards v set provisional_clearings = v.provisional_clearings + n.provisional,
         settled_through = greatest(v.settled_through, n.settled_through)
       from (select card_id, count(*) filter (where match_rule > 2) as provisional, max(settlement_date) as settled_through
         from inserted group by card_id) n
       where v.id = n.card_id;
     return null;
   end $$`,
  `create trigger tallystick_clearings_inserted after insert on tallystick_clearings referencing new table as inserted
     for each statement execute function tallystick_count_clearings()`,
  `create function tallystick_count_rematched_clearing() returns trigger language plpgsql as $$
   begin
     update tallystick_virtual_cards set provisional_clearings =
         provisional_clearings + (new.match_rule > 2)::int - (old.match_rule > 2)::int
       where id = new.card_id;
     return null;
   end $$`,
  `create trigger tallystick_clearings_rematched after update on tallystick_clearings for each row
     when ((new.match_rule > 2) <> (old.match_rule > 2)) execute function tallystick_count_rematched_clearing()`,
];

/** The BAI codes of card lines, as the list of an `in`. */
const card_lines = `(${card_line_codes.map((code) => `'${code}'`).join(', ')})`;

/**
 * Whether the line `r` of the bank, which differs, has the reference of `row`: it shows the nearest
 * one.
 */
function isDifferingOf(row: string): string {
  return `r.account_id = ${row}.account_id and r.bank_reference = ${row}.bank_reference
    and r.statement_id is null and r.bank_reference is not null and r.standing = 'differs'`;
}

const lines_enter_on_sqlite: readonly string[] = [
  `create trigger tallystick_statement_lines_enter after insert on tallystick_statement_lines when new.bai_code in ${card_lines} or new.standing is not null begin
     insert into tallystick_reconciliation_inbox (company_id, kind, record_id) values (new.company_id, 'line', new.id);
   end`,
  `create trigger tallystick_statement_lines_named after insert on tallystick_statement_lines
     when new.statement_id is not null and new.bank_reference is not null begin
     insert into tallystick_reconciliation_inbox (company_id, kind, record_id)
       select r.company_id, 'line', r.id from tallystick_statement_lines r where ${isDifferingOf('new')};
   end`,
  `create trigger tallystick_statement_lines_change after update of standing on tallystick_statement_lines
     when new.standing is not old.standing begin
     insert into tallystick_reconciliation_inbox (company_id, kind, record_id) values (new.company_id, 'line', new.id);
   end`,
];

const lines_enter_on_postgres: readonly string[] = [
  `create function tallystick_enter_statement_lines() returns trigger language plpgsql as $$
   begin
     insert into tallystick_reconciliation_inbox (company_id, kind, record_id)
       select company_id, 'line', id from inserted where bai_code in ${card_lines} or standing is not null order by id;
     insert into tallystick_reconciliation_inbox (company_id, kind, record_id)
       select distinct r.company_id, 'line', r.id from inserted i cross join tallystick_statement_lines r
       where i.statement_id is not null and ${isDifferingOf('i')};
     return null;
   end $$`,
  `create trigger tallystick_statement_lines_enter after insert on tallystick_statement_lines referencing new table as inserted
     for each statement execute function tallystick_enter_statement_lines()`,
];

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

const enter = 'insert into tallystick_reconciliation_inbox (company_id, kind, record_id)';

const entering_on_sqlite: readonly string[] = [
  `create trigger tallystick_authorizations_enter after insert on tallystick_authorizations when ${hasItem('new')} begin
     ${enter} values (new.company_id, 'authorization', new.id);
   end`,
  `create trigger tallystick_authorizations_change after update on tallystick_authorizations
     when ${isChanged((column) => `new.${column} is not old.${column}`)} begin
     ${enter} values (new.company_id, 'authorization', new.id);
   end`,
  `create trigger tallystick_clearings_enter after insert on tallystick_clearings begin
     ${enter} values (new.company_id, 'clearing', new.id);
   end`,
  `create trigger tallystick_clearings_change after update on tallystick_clearings
     when ${isMatchedAgain((column) => `new.${column} is not old.${column}`)} begin
     ${enter} values (new.company_id, 'clearing', new.id);
   end`,
  `create trigger tallystick_accounts_covered after update on tallystick_accounts
     when new.first_statement_as_of is not old.first_statement_as_of begin
     ${enter} values (new.company_id, 'account', new.id);
   end`,
  `create trigger tallystick_reconciliation_acts_list after insert on tallystick_reconciliation_acts begin
     insert or ignore into tallystick_reconciliation_act_records (company_id, record, act_id)
       select new.company_id, new.item_id, new.id
       union select new.company_id, (value ->> '$.line_id') * 4 + 2, new.id from json_each(new.subject, '$.pairs')
       union select new.company_id, (value ->> '$.clearing_id') * 4 + 1, new.id from json_each(new.subject, '$.pairs')
       union select new.company_id, (new.subject ->> '$.authorization.clearing_id') * 4 + 1, new.id
         where new.subject ->> '$.authorization.clearing_id' is not null;
   end`,
];

const differs = (column: string) => `new.${column} is distinct from old.${column}`;

const entering_on_postgres: readonly string[] = [
  `create function tallystick_enter_authorizations() returns trigger language plpgsql as $$
   begin
     ${enter} select company_id, 'authorization', id from inserted i where ${hasItem('i')} order by id;
     return null;
   end $$`,
  `create trigger tallystick_authorizations_enter after insert on tallystick_authorizations referencing new table as inserted
     for each statement execute function tallystick_enter_authorizations()`,
  `create function tallystick_enter_clearings() returns trigger language plpgsql as $$
   begin
     ${enter} select company_id, 'clearing', id from inserted order by id;
     return null;
   end $$`,
  `create trigger tallystick_clearings_enter after insert on tallystick_clearings referencing new table as inserted
     for each statement execute function tallystick_enter_clearings()`,
  `create function tallystick_enter_changed_record() returns trigger language plpgsql as $$
   begin
     ${enter} values (new.company_id, tg_argv[0], new.id);
     return null;
   end $$`,
  `create trigger tallystick_authorizations_change after update on tallystick_authorizations for each row
     when (${isChanged(differs)}) execute function tallystick_enter_changed_record('authorization')`,
  `create trigger tallystick_statement_lines_change after update on tallystick_statement_lines for each row
     when (${differs('standing')}) execute function tallystick_enter_changed_record('line')`,
  `create trigger tallystick_clearings_change after update on tallystick_clearings for each row
     when (${isMatchedAgain(differs)}) execute function tallystick_enter_changed_record('clearing')`,
  `create trigger tallystick_accounts_covered after update on tallystick_accounts for each row
     when (${differs('first_statement_as_of')}) execute function tallystick_enter_changed_record('account')`,
  `create function tallystick_list_records_of_act() returns trigger language plpgsql as $$
   begin
     insert into tallystick_reconciliation_act_records (company_id, record, act_id)
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
  `create trigger tallystick_reconciliation_acts_list after insert on tallystick_reconciliation_acts
     for each row execute function tallystick_list_records_of_act()`,
];
