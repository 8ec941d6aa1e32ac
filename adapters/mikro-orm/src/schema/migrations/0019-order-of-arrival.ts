import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/**
 * What is needed to match clearings again when an earlier one or an authorization comes after them.
 * A card counts its provisional clearings by triggers, so that those which a server of an older
 * version records count, too. Null: they were not counted yet, and the first pass over the card
 * counts them (`countClearings`).
 */
export function orderOfArrival(dialect: Dialect): readonly string[] {
  const { text, boolean } = words(dialect);
  return [
    `alter table authorizations add column uncleared_status ${text}`,
    'alter table authorizations add column uncleared_uses bigint',
    `alter table clearings add column synthetic_id ${boolean} not null default false`,
    `alter table clearings add column paired_transaction_id ${text}`,
    `alter table clearings add column sent ${text}`,
    'create unique index clearings_paired_transaction on clearings (paired_transaction_id) where paired_transaction_id is not null',
    'create index clearings_authorization on clearings (authorization_id) where authorization_id is not null',
    ...(dialect === 'sqlite' ? provisional_on_sqlite : provisional_on_postgres),
    `alter table virtual_cards add column settled_through ${text}`,
    ...(dialect === 'sqlite' ? counted_on_sqlite : counted_on_postgres),
  ];
}

const provisional_on_sqlite: readonly string[] = [
  'alter table virtual_cards add column provisional_clearings bigint default 0',
  `update virtual_cards set provisional_clearings = null
     where exists (select 1 from clearings c where c.card_id = virtual_cards.id)`,
];

/** The default comes after the column, so that only cards from before it have null. */
const provisional_on_postgres: readonly string[] = [
  'alter table virtual_cards add column provisional_clearings bigint',
  'alter table virtual_cards alter column provisional_clearings set default 0',
];

const counted_on_sqlite: readonly string[] = [
  `create trigger clearings_inserted after insert on clearings begin
     update virtual_cards set provisional_clearings = provisional_clearings + (new.match_rule > 2),
       settled_through = max(coalesce(settled_through, ''), new.settlement_date)
     where id = new.card_id;
   end`,
  `create trigger clearings_rematched after update of match_rule on clearings
     when (new.match_rule > 2) <> (old.match_rule > 2) begin
     update virtual_cards set provisional_clearings = provisional_clearings + (new.match_rule > 2) - (old.match_rule > 2)
     where id = new.card_id;
   end`,
];

const counted_on_postgres: readonly string[] = [
  `create function count_clearings() returns trigger language plpgsql as $$
   begin
     update virtual_cards v set provisional_clearings = v.provisional_clearings + n.provisional,
         settled_through = greatest(v.settled_through, n.settled_through)
       from (select card_id, count(*) filter (where match_rule > 2) as provisional, max(settlement_date) as settled_through
         from inserted group by card_id) n
       where v.id = n.card_id;
     return null;
   end $$`,
  `create trigger clearings_inserted after insert on clearings referencing new table as inserted
     for each statement execute function count_clearings()`,
  `create function count_rematched_clearing() returns trigger language plpgsql as $$
   begin
     update virtual_cards set provisional_clearings =
         provisional_clearings + (new.match_rule > 2)::int - (old.match_rule > 2)::int
       where id = new.card_id;
     return null;
   end $$`,
  `create trigger clearings_rematched after update on clearings for each row
     when ((new.match_rule > 2) <> (old.match_rule > 2)) execute function count_rematched_clearing()`,
];
