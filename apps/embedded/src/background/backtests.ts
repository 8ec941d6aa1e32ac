import { purgeBacktests, type RunPorts, runBacktests } from '@tallystick/cards';
import type { Lifecycle } from '@tallystick/koa';
import type { Logger } from 'pino';
import type { Job } from './jobs.ts';

/** How often backtests that wait are looked for. */
const look_every_ms = 1_000;

/** The most rows that one transaction removes. */
const batch_max = 1_000;

/**
 * The job that runs backtests (`runBacktests`), and removes old and deleted ones. It stops within a
 * page of a history when the process stops, and the next process continues.
 */
export function backtestJob(
  ports: RunPorts,
  { signal }: Pick<Lifecycle, 'signal'>,
  logger: Pick<Logger, 'info'>,
  refresh: () => Promise<void>,
): Job {
  return {
    name: 'backtests',
    every_ms: look_every_ms,
    async run() {
      await refresh();
      await runBacktests(ports, {
        signal,
        onSaved({ id, company_id, status, cards_done, messages, differences, finished_at_ms }) {
          if (finished_at_ms === null) return;
          logger.info({ backtest_id: id, company_id, status, cards_done, messages, differences }, 'a backtest ended');
        },
      });
      while (signal?.aborted !== true) {
        const purged = await ports.unitOfWork.run((tx) => purgeBacktests(tx, ports.clock.nowMs(), batch_max));
        if (purged === 0) break;
      }
    },
  };
}
