/**
 * The counters of windows that are over. A window that ended before this migration has no row: the
 * ledger sums it from the history of the card when a message needs it. The index finds the
 * clearings that refer to a clearing.
 */
export function cardWindows(): readonly string[] {
  return [
    `create table card_windows (
      card_id bigint not null,
      window_start_ms bigint not null,
      held bigint not null,
      cleared bigint not null,
      uses bigint not null,
      primary key (card_id, window_start_ms)
    )`,
    'create index clearings_reference on clearings (card_id, clearing_id) where clearing_id is not null',
  ];
}
