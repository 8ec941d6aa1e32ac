import type { Random } from '../secrets/random.ts';

/**
 * What a process claims work under: a delivery, a mail. While it lasts nobody else takes the work; when the process dies,
 * it runs out and another may. Leases run on machine time, so that moving the sandbox's clock ends none.
 */
export interface Lease {
  /** Proves whose the claim is. Drawn at random. */
  readonly token: string;
  /** When it was taken, by the machine's clock. */
  readonly machine_ms: number;
  readonly until_machine_ms: number;
}

/** A fresh lease of `lease_ms`. */
export function drawLease(random: Random, machine_ms: number, lease_ms: number): Lease {
  return { token: random.bytes(12).toHex(), machine_ms, until_machine_ms: machine_ms + lease_ms };
}
