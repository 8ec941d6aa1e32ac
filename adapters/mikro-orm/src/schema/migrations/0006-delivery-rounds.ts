/** Which round a delivery is in, by which an attempt of the round before is known when it ends. */
export function deliveryRounds(): readonly string[] {
  return [`alter table deliveries add column round bigint not null default 1`];
}
