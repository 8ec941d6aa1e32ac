/**
 * Every hold gets an end. A company can choose after how many days; null is the default of the
 * service, and 0 is no end. Holds that are open end 30 days after their decision, by the rule of
 * later holds: at 00:00:01 UTC.
 */
export function holdLifetimes(): readonly string[] {
  return [
    'alter table companies add column hold_days bigint',
    // Ends of its own have a hold of aging velocity. The division drops the time of day.
    `update authorizations set hold_end_ms = (decided_at_ms / 86400000 + 30) * 86400000 + 1000
       where hold_end_ms is null and held > 0 and status in ('open', 'partially_cleared')`,
    // The index on (card_id, hold_end_ms) finds the first end of each card.
    `update virtual_cards set next_hold_end_ms = (select min(a.hold_end_ms) from authorizations a
         where a.card_id = virtual_cards.id and a.hold_end_ms is not null and a.status in ('open', 'partially_cleared'))
       where next_hold_end_ms is null and exists (select 1 from authorizations a
         where a.card_id = virtual_cards.id and a.hold_end_ms is not null and a.status in ('open', 'partially_cleared'))`,
  ];
}
