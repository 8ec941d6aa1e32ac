import { type AuditMac, brokenAuditChain, type Clock, sealAuditLog, type Timers } from '@tallystick/kernel';
import type { Metrics } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Job } from './jobs.ts';

const run_every_ms = 500;
/** How long one run seals. A stop of the process and a move of the sandbox clock wait for a run. */
const run_ms_max = 500;

export interface SealerPorts {
  readonly persistence: Pick<Persistence, 'unitOfWork'>;
  readonly audit_mac: AuditMac;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Pick<Metrics, 'watchAuditLog'>;
}

/**
 * The job that seals the entries of the audit log, and the metrics of those that wait. Every
 * process runs it; the row of the chain is locked during a batch. A chain that is not genuine fails
 * the run: the entries then wait, and `npm run admin -- audit verify` names what is wrong.
 */
export function auditSealerJob({ persistence, audit_mac, clock, timers, metrics }: SealerPorts): Job {
  const { monotonicNow } = timers;
  const { unitOfWork } = persistence;
  const readForMetrics = () =>
    unitOfWork.read(async ({ audit_chain }) => ({
      ...(await audit_chain.countUnsealed()),
      newest_number: (await audit_chain.read())?.number ?? 0,
    }));
  metrics.watchAuditLog(readForMetrics, clock);
  const ports = { unitOfWork, mac: audit_mac };
  return {
    name: 'audit sealer',
    every_ms: run_every_ms,
    async run() {
      const until_ms = monotonicNow() + run_ms_max;
      const { finding } = await sealAuditLog(ports, async () => monotonicNow() < until_ms);
      if (finding !== null) throw brokenAuditChain(finding);
    },
  };
}
