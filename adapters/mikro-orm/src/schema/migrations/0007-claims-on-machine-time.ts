/**
 * Claims of idempotency keys run out by the machine's time. Those that are there count as run out: who made them can still
 * complete them, unless another takes over.
 */
export function claimsOnMachineTime(): readonly string[] {
  return [
    'alter table idempotency_records rename column lease_ms to lease_until_machine_ms',
    'update idempotency_records set lease_until_machine_ms = 0',
  ];
}
