import type { Clock, Timers } from '@tallystick/kernel';
import type { Metrics } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import { catchUpAll, type LeftoverWalk } from '@tallystick/reconciliation';
import type { Deliveries } from './deliveries.ts';
import type { Job } from './jobs.ts';

/** How long one run works. A move of the sandbox clock waits for a run. */
const run_ms_max = 2_000;
/** The most transactions of a company before the next one has its turn. */
const steps_of_company_max = 10;

export interface ReconciliationJobPorts {
  readonly persistence: Pick<Persistence, 'unitOfWork'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Pick<Metrics, 'watchReconciliation'>;
  /** Relays the events of breaks. */
  readonly deliveries: Pick<Deliveries, 'nudge'>;
  /** Updates the clock before a run. */
  readonly refresh: () => Promise<void>;
}

/**
 * The job that keeps the items of all companies up to date with their records and with the time.
 * After each transaction it waits as long as that took, so that at least half of the time is left
 * to requests.
 */
export function reconciliationJob({
  persistence,
  clock,
  timers: { monotonicNow, pause },
  metrics,
  deliveries,
  refresh,
}: ReconciliationJobPorts): Job {
  const { unitOfWork } = persistence;
  const walks = new Map<number, LeftoverWalk>();
  metrics.watchReconciliation(
    () =>
      unitOfWork.read(async ({ reconciliation }) => ({
        ...(await reconciliation.backlog()),
        cells: await reconciliation.allCells(),
      })),
    clock,
  );
  return {
    name: 'reconciliation',
    every_ms: 250,
    async run() {
      await refresh();
      const until_ms = monotonicNow() + run_ms_max;
      for (let is_pending = true; is_pending && monotonicNow() < until_ms; ) {
        let step_began_ms = monotonicNow();
        const afterStep = async () => {
          await pause(monotonicNow() - step_began_ms);
          step_began_ms = monotonicNow();
        };
        const result = await catchUpAll({ unitOfWork, clock }, { steps_max: steps_of_company_max, afterStep, walks });
        if (result.taken > 0) deliveries.nudge();
        // Another process has what is left.
        is_pending = result.is_pending && result.taken > 0;
      }
    },
  };
}
