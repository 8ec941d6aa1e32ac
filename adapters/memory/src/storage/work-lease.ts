import type { Lease } from '@tallystick/kernel';

/** The claim of a delivery or a mail, and its end. */
export type WorkLease = Pick<Lease, 'token' | 'until_machine_ms'>;

/** Whether the lease excludes others at this machine time. */
export function isLeased(lease: WorkLease | undefined, machine_ms: number): boolean {
  return lease !== undefined && lease.until_machine_ms > machine_ms;
}
