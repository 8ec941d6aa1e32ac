import type { Lease } from '@tallystick/kernel';

/** Who has claimed a delivery or a mail, and until when. */
export type WorkLease = Pick<Lease, 'token' | 'until_machine_ms'>;

/** Whether the lease keeps others out at this time of the machine. */
export function isLeased(lease: WorkLease | undefined, machine_ms: number): boolean {
  return lease !== undefined && lease.until_machine_ms > machine_ms;
}
