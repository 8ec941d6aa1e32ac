import type { Random } from '../secrets/secrets.ts';
import { toHex } from '../values/bytes.ts';

/**
 * A time-limited claim of a process on work, for example a delivery or a mail. No other process
 * takes the work during the lease. If the process dies, the lease expires and another process may
 * take the work. Leases use machine time, so a move of the sandbox's clock ends none.
 */
export interface Lease {
  /** Proves ownership of the claim. Generated at random. */
  readonly token: string;
  /** When the claim was made, in machine time. */
  readonly machine_ms: number;
  readonly until_machine_ms: number;
}

export function drawLease(random: Random, machine_ms: number, lease_ms: number): Lease {
  return { token: drawLeaseToken(random), machine_ms, until_machine_ms: machine_ms + lease_ms };
}

/** Returns a new token, for a lease that is extended several times. */
export function drawLeaseToken(random: Random): string {
  return toHex(random.bytes(12));
}
