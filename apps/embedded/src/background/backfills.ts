import { setTimeout as delay } from 'node:timers/promises';
import type { BackfillProgress, Backfills } from '@tallystick/mikro-orm';
import type { Logger } from 'pino';
import type { Job } from './jobs.ts';

/** How long one run copies. A move of the sandbox clock waits for a run. */
const run_ms_max = 500;
/** The time between two lines of the log about one backfill. */
const report_every_ms = 30_000;

/**
 * The job that runs the long part of migrations beside the service. Between two batches it waits as
 * long as the last batch took, so that at least half of the time is left to requests.
 */
export function backfillJob(backfills: Backfills, logger: Pick<Logger, 'info'>): Job {
  const reported = new Map<string, number>();

  function report(progress: readonly BackfillProgress[]): void {
    const now_ms = performance.now();
    for (const backfill of progress) {
      const { name, state, done, total, remaining_ms } = backfill;
      if (state === 'copying' && remaining_ms === null) continue;
      if (now_ms - (reported.get(name) ?? Number.NEGATIVE_INFINITY) < report_every_ms) continue;
      reported.set(name, now_ms);
      logger.info({ backfill: name, done, total }, describeBackfill(backfill));
    }
    for (const name of reported.keys()) {
      if (progress.some((backfill) => backfill.name === name)) continue;
      reported.delete(name);
      logger.info({ backfill: name }, `${name}: done`);
    }
  }

  return {
    name: 'backfill',
    every_ms: 250,
    async run() {
      const until_ms = performance.now() + run_ms_max;
      for (;;) {
        const began_ms = performance.now();
        const progress = await backfills.runBatches();
        report(progress);
        const took_ms = performance.now() - began_ms;
        if (!progress.some(({ state }) => state === 'copying') || performance.now() + took_ms > until_ms) return;
        await delay(took_ms);
      }
    },
  };
}

/** One line for people: how much is copied, and how long the rest will take. */
export function describeBackfill({ name, state, unit, done, total, remaining_ms }: BackfillProgress): string {
  const figure = (value: number) => value.toLocaleString('en-US');
  if (state === 'copied') return `${name}: all ${unit} are copied; the old indexes are removed next`;
  const left = remaining_ms === null ? '' : `, about ${describeDuration(remaining_ms)} left`;
  return `${name}: ${figure(done)} of ${figure(total)} ${unit} are copied${left}`;
}

function describeDuration(ms: number): string {
  if (ms < 90_000) return `${Math.ceil(ms / 1_000)} s`;
  if (ms < 5_400_000) return `${Math.ceil(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
