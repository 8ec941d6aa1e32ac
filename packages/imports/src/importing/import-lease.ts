import { LeaseLost } from '@tallystick/cards';
import { drawLeaseToken } from '@tallystick/kernel';
import type { ImportLease, ImportRecord, ImportStore } from '../import-store.ts';
import type { ImportPorts } from '../ports.ts';

type LeasePorts = Pick<ImportPorts, 'random' | 'machine_clock' | 'unitOfWork' | 'pause'>;

/**
 * How long an import stays claimed after its process died. A process that pauses for longer loses
 * the import to another, and nothing else: the ledger checks the claim in each pass.
 */
export const import_lease_ms = 6_000;

/** How often another process looks whether a claim is renewed. */
const poll_ms = 250;

/**
 * The claim of this process on one import. Each checkpoint renews it, and a timer does while the
 * bytes of a slow source are awaited.
 */
export class ImportClaim {
  readonly #ports: LeasePorts;
  readonly #token: string;
  #import_id: number | null = null;
  readonly #ending = new AbortController();

  constructor(ports: LeasePorts) {
    this.#ports = ports;
    this.#token = drawLeaseToken(ports.random);
  }

  /** The claim, from now on for its whole time. */
  renewed(): ImportLease {
    return { token: this.#token, until_machine_ms: machineNow(this.#ports) + import_lease_ms };
  }

  /** The import, locked, while this process has it. Throws `LeaseLost` otherwise. */
  async lock(imports: ImportStore, id: number): Promise<ImportRecord> {
    const record = await imports.lock(id);
    if (record?.status !== 'running' || record.lease?.token !== this.#token) throw new LeaseLost();
    return record;
  }

  /** Renews the claim of this import regularly, until `release`. */
  keep(import_id: number): void {
    const is_kept = this.#import_id !== null;
    this.#import_id = import_id;
    if (!is_kept) void this.#keepRenewing();
  }

  /** Ends the claim, so that another process need not wait for the end of the lease. */
  async release(): Promise<void> {
    this.#ending.abort();
    const id = this.#import_id;
    if (id === null) return;
    try {
      await this.#ports.unitOfWork.run(async ({ imports }) => {
        const record = await imports.lock(id);
        if (record?.lease?.token === this.#token) await imports.update({ ...record, lease: null });
      });
    } catch {
      // The lease ends by itself.
    }
  }

  async #keepRenewing(): Promise<void> {
    for (;;) {
      await this.#ports.pause(import_lease_ms / 3, { signal: this.#ending.signal });
      if (this.#ending.signal.aborted) return;
      try {
        await this.#ports.unitOfWork.run(async ({ imports }) => {
          const record = await this.lock(imports, this.#import_id!);
          await imports.update({ ...record, lease: this.renewed() });
        });
      } catch {
        // The next checkpoint finds out whether the claim was lost.
      }
    }
  }
}

/**
 * Waits until another process renews its claim of the import, or the claim ends. Returns whether
 * another process is at work on it.
 */
export async function isAtWork(
  { unitOfWork, machine_clock, pause }: LeasePorts,
  { id, lease }: ImportRecord,
): Promise<boolean> {
  for (let waited_ms = 0; waited_ms <= import_lease_ms; waited_ms += poll_ms) {
    await pause(poll_ms);
    const now = await unitOfWork.read(({ imports }) => imports.find(id));
    if (now === null || !isClaimed(now, { machine_clock })) return false;
    if (now.lease?.token !== lease?.token || now.lease?.until_machine_ms !== lease?.until_machine_ms) return true;
  }
  return true;
}

/** Whether a process may be at work on the import. */
export function isClaimed({ lease }: ImportRecord, ports: Pick<ImportPorts, 'machine_clock'>): boolean {
  return lease !== null && lease.until_machine_ms > machineNow(ports);
}

function machineNow({ machine_clock }: Pick<ImportPorts, 'machine_clock'>): number {
  return machine_clock.nowMs();
}
